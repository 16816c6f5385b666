# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Looks for the keys of a question, with readers that provide them (RNK-1, QRY-9), in the data that stores have
    # prepared.
    class FastTermSimilarity < Rerankers::TermSimilarity
      # @return [Array<String>] the keywords of a question, without a query if the reader can do so
      def keywords(question)
        @query_builder.respond_to?(:keywords) ? @query_builder.keywords(question) : super
      end

      # @return [Array<Float>] the similarities of a result's documents; documents that a store has prepared are not
      #   read again
      def of_result(result, keywords, reader)
        return super unless @query_builder.respond_to?(:query_keys)

        query_keys = @query_builder.query_keys(keywords)
        keys = query_keys.keys.map(&:first)
        found = found_in_prepared(result, keys)
        table = KeyTable.new(keys) if found.size < result.ids.size
        bits = result.ids.map do |name|
          found[name] || table.found(
            Stores::Documents::StoredFields.hybrid_tokens(name, result.fields_of(name), reader)
          )
        end
        KeyTable.shares(query_keys, bits)
      end

      private

      def found_in_prepared(result, keys)
        found = {}
        by_vocabulary(result, keys).each do |prepared_keys, documents|
          next unless prepared_keys.usable?

          bits = prepared_keys.found(documents.values)
          documents.each_key.with_index { |identifier, place| found[identifier] = bits[place] }
        end
        found
      end

      # Return the prepared documents, grouped by store.
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
    end
  end
end
