# frozen_string_literal: true

module HybridSearch
  # Reads questions, and compares them with documents: how much of a question's weight they have (RNK-1, QRY-9).
  class TermSimilarity
    # @param query_builder [#build_text_query, #token_similarity] one that also has `keywords(question)`, the keywords
    #   alone, and `query_keys(query_tokens)`, what `token_similarity` looks for, as {QueryBuilder} has, is faster
    def initialize(query_builder)
      @query_builder = query_builder
      @has_keywords = stands_for?(query_builder, :keywords, :build_text_query)
      @has_keys = stands_for?(query_builder, :query_keys, :token_similarity)
      freeze
    end

    # @param question [String]
    # @return [Array<String>] its keywords
    def keywords(question)
      @has_keywords ? @query_builder.keywords(question) : @query_builder.build_text_query(question)[1]
    end

    # @param keywords [Array<String>] of the question
    # @param documents [Array<Array<String>>] the tokens of each
    # @return [Array<Float>] the similarity of each
    def of_tokens(keywords, documents)
      @query_builder.token_similarity(keywords, documents)
    end

    # @param result [SearchResult] the documents; those that the store prepared are not read anew
    # @param keywords [Array<String>] of the question
    # @param reader [StoredFields] collects what is not usable
    # @return [Array<Float>] the similarities of the documents, in the order of `result.ids`
    def of_result(result, keywords, reader)
      return of_tokens(keywords, tokens(result, result.ids, reader)) unless @has_keys

      query_keys = @query_builder.query_keys(keywords)
      found = {}
      by_vocabulary(result, query_keys.keys.map(&:first)).each do |prepared_keys, documents|
        next unless prepared_keys.usable?

        bits = prepared_keys.found(documents.values)
        documents.each_key.with_index { |identifier, place| found[identifier] = bits[place] }
      end
      others = result.ids.reject { |identifier| found.key?(identifier) }
      others.zip(query_keys.found(tokens(result, others, reader))) { |name, bits| found[name] = bits } if others.any?
      query_keys.shares(result.ids.map { |identifier| found[identifier] })
    end

    private

    # The prepared documents, those of one store together.
    def by_vocabulary(result, keys)
      groups = {}.compare_by_identity
      result.ids.each do |identifier|
        prepared = result.prepared[identifier]
        next unless prepared

        vocabulary = prepared.vocabulary
        group = (groups[vocabulary] ||= [PreparedKeys.new(keys, vocabulary), {}])
        group[1][identifier] = prepared
      end
      groups.values
    end

    def tokens(result, identifiers, reader)
      identifiers.map { |identifier| StoredFields.hybrid_tokens(identifier, result.fields_of(identifier), reader) }
    end

    # Whether a reader has a method that gives what `basis` gives: not if `basis` alone was redefined later.
    def stands_for?(reader, method, basis)
      return false unless ::Object === reader # rubocop:disable Style/CaseEquality -- not every value has `is_a?`

      kind = reader.singleton_class.ancestors.find do |one|
        [method, basis].any? { |name| one.method_defined?(name, false) }
      end
      !kind.nil? && kind.method_defined?(method, false)
    end
  end
end
