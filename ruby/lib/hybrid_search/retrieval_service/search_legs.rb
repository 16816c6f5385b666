# frozen_string_literal: true

module HybridSearch
  module RetrievalServices
    # Runs the single searches of a retrieval on a store: semantic, full-text and keyword search (DFY-6).
    class SearchLegs
      include Base::ShortInspect

      Tree = AdapterKit::Tree
      private_constant :Tree

      SELECTED_FIELDS = %w[id doc_id docnm_kwd kb_id content_with_weight metadata].freeze
      QUERY_KEYWORDS = 10
      NOTHING = AdapterKit::SearchResult.new(total: 0, ids: [], fields: {})
      private_constant :NOTHING

      # @param calls [Array<Proc>] searches
      # @return [Array<AdapterKit::SearchResult, Error>] their results, or their errors; they run at the same time, each
      #   in a thread
      def self.together(calls)
        threads = calls.map do |call|
          Thread.new do
            call.call
          rescue Error => e
            e
          end
        end
        threads.map(&:value)
      end

      # @param store [DocStoreAdapter] the documents
      # @param query_builder [QueryBuilder] makes text queries
      # @param embedding [Embedding, nil] makes query vectors; nil rules out semantic search
      # @param keyword_extractor [KeywordExtractor] finds the keywords of queries
      def initialize(store, query_builder, embedding, keyword_extractor)
        @store = store
        @query_builder = query_builder
        @embedding = embedding
        @keyword_extractor = keyword_extractor
        check
        freeze
      end

      # @return [Boolean] whether semantic search is possible
      def embedding?
        !@embedding.nil?
      end

      # @return [Array<String>] warnings about documents that semantic search does not find (DOC-7)
      def warnings
        guarded { check }
      end

      # Return the best documents of one search method, at most `depth`, in the order of ORD-1.
      #
      # @param method [String] "semantic_search", "full_text_search" or "keyword_search"
      # @param query [String] as typed, not blank
      # @param filters [Hash{String=>Object}] the conditions that documents must satisfy
      # @param depth [Integer] at least 1
      # @return [AdapterKit::SearchResult]
      # @raise [ConfigurationError] a semantic search without an embedding
      # @raise [EmbeddingError] the embedding failed
      # @raise [DocStoreError] the store failed
      def search(method, query, filters, depth)
        guarded do
          case method
          when "semantic_search" then semantic(query, filters, depth)
          when "full_text_search" then full_text(query, filters, depth)
          else keyword(query, filters, depth)
          end
        end
      end

      # @param query [String]
      # @param identifiers [Array<String>]
      # @param filters [Hash{String=>Object}]
      # @return [Hash{String=>Float}] the store's cosine of each document with the query; documents without a vector are
      #   omitted
      # @raise [EmbeddingError] the embedding failed
      # @raise [DocStoreError] the store failed
      def cosines(query, identifiers, filters)
        return {} if identifiers.empty?

        guarded { @store.rank([dense(query, identifiers.size)], filters.merge("id" => identifiers)).to_h }
      end

      private

      def semantic(query, filters, depth)
        found(filters, dense(query, depth), depth)
      end

      def full_text(query, filters, depth)
        text, = @query_builder.build_text_query(query)
        text.nil? ? NOTHING : found(filters, text.with_topn(depth), depth)
      end

      # Return documents that contain a keyword of the query, or a part of one; the score is the number of these.
      def keyword(query, filters, depth)
        best = Base::Slices.head(Base::Ordering.rank(counts(query, filters).to_a), depth)
        return NOTHING if best.empty?

        ids = best.map(&:first)
        result = @store.search(select_fields: SELECTED_FIELDS, filters: filters.merge("id" => ids), limit: ids.size)
        result.with(ids: ids.select { |identifier| result.fields.key?(identifier) }, scores: best.to_h)
      end

      def counts(query, filters)
        counts = Hash.new(0.0)
        keyword_nodes(query).each do |tree|
          text = AdapterKit::MatchTextExpr.new(fields: @query_builder.fields, tree:, topn: [1, @store.count].max)
          @store.rank([text], filters).each { |identifier, _| counts[identifier] += 1.0 }
        end
        counts
      end

      # Return a query for each distinct keyword and part: its tokens as a phrase, or a keyword field's value.
      def keyword_nodes(query)
        pairs = @keyword_extractor.extract(query, limit: QUERY_KEYWORDS).terms.map do |term|
          [term, @query_builder.tokenizer.tokenize(term)]
        end
        pairs.uniq.map do |term, tokens|
          nodes = [Tree::Term.new(term)]
          nodes << Tree::Phrase.new(tokens) if tokens.size > 1
          nodes << Tree::Term.new(tokens[0]) if tokens.size == 1 && tokens[0] != term
          Tree::AnyOf.new(nodes)
        end
      end

      # Return the nearest-neighbour query, without a minimum cosine.
      def dense(query, depth)
        raise ConfigurationError, "semantic_search needs an embedding" if @embedding.nil?

        expression = @embedding.match_dense(query, topk: depth, similarity: -1.0)
        check
        AdapterKit::MatchDenseExpr.new(field: expression.field, vector: expression.vector, topn: depth)
      end

      def check
        @embedding.nil? ? [] : Stores::VectorModels.check(@store, @embedding)
      end

      def found(filters, expression, depth)
        @store.search(select_fields: SELECTED_FIELDS, filters:, match_exprs: [expression], limit: depth)
      end

      # Return the value of the block; a store's own errors become a {DocStoreError}.
      def guarded
        yield
      rescue Error
        raise
      rescue StandardError => e
        raise DocStoreError, "the document store failed: #{Base::Validation.foreign_error(e)}"
      end
    end
  end
end
