# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Candidates that are fetched together.
    class CandidateBlock
      include Base::ShortInspect

      # @return [Integer] the number of candidates before them
      attr_reader :offset
      # @return [Integer] their largest number
      attr_reader :limit
      # @return [Array<String>, nil] the fields to fetch of each; nil: what a rerank and a chunk are made of
      attr_reader :fields

      def initialize(offset, limit, fields = nil)
        @offset = offset
        @limit = limit
        @fields = fields
        freeze
      end
    end

    # What the text leg makes of a question.
    class TextQuestion
      include Base::ShortInspect

      # @return [AdapterKit::MatchTextExpr, AdapterKit::MatchBm25fExpr, nil] what the store is asked, nil if there is
      #   nothing to look for
      attr_reader :expression
      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::AnyOf, AdapterKit::Tree::Boost,
      #   AdapterKit::Tree::Group, Array<String>, nil] its tree or its tokens
      attr_reader :query
      # @return [Array<String>] what is highlighted
      attr_reader :marked
      # @return [Array<String>, nil] the question's keywords (RNK-1), nil where the leg has not read them
      attr_reader :keywords

      def initialize(expression, query, marked, keywords)
        @expression = expression
        @query = query
        @marked = marked
        @keywords = keywords
        freeze
      end
    end

    # What recall found.
    class Recalled
      include Base::ShortInspect

      # @return [AdapterKit::SearchResult] the store's answer; its keywords are the question's, each followed by its
      #   fine-grained parts
      attr_reader :result
      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::AnyOf, AdapterKit::Tree::Boost,
      #   AdapterKit::Tree::Group, Array<String>, nil] the tree or the tokens of the text query, nil if the question had
      #   no text query
      attr_reader :query
      # @return [Float] the minimum share of clauses the found documents matched
      attr_reader :min_match
      # @return [Float] the lowest cosine the dense leg gave
      attr_reader :similarity
      # @return [Array<String>, nil] the question's keywords, as they were read; nil where nothing has read them yet
      attr_reader :keywords
      # @return [Boolean] whether a document's chunks were listed without matching (RET-2)
      attr_reader :listed

      def initialize(result:, query:, min_match:, similarity:, keywords:, listed: false)
        @result = result
        @query = query
        @min_match = min_match
        @similarity = similarity
        @keywords = keywords
        @listed = listed
        freeze
      end

      # @return [Recalled] the same recall with only the documents of one block
      def block(offset, limit)
        ids = Base::Slices.part(result.ids, offset, limit)
        fields = result.fields
        with_result(result.with(ids:, fields: ids.to_h { |id| [id, fields[id]] }))
      end

      # @return [Recalled] the same recall with another answer of the store
      def with_result(other, listed: @listed)
        Recalled.new(result: other, query:, min_match:, similarity:, keywords:, listed:)
      end
    end

    # Asks a store for the candidates of a question (RET-1), and again when it found nothing (RET-2).
    class Recall
      include Base::ShortInspect

      SELECTED_FIELDS = %w[
        id doc_id docnm_kwd kb_id content_ltks content_with_weight title_tks important_kwd question_tks position_int
        pagerank_fea tag_feas metadata
      ].freeze
      RETRY_MIN_MATCH = 0.1
      RETRY_SIMILARITY = 0.17

      # @param store [DocStoreAdapter] the documents
      # @param query_builder [QueryBuilder] makes the text query
      # @param embedding [Embedding, nil] makes the dense query; without one only the text leg runs
      # @param observation [Base::Observation, nil] told of each recall, and of the vector that it asks for (OBS-1)
      # @param any_vectors [Boolean] whether a store is accepted all of whose vectors are of another dimension than the
      #   embedding's
      # @raise [InvalidInputError] the store's vectors are of another model or dimension than the embedding's (DOC-7)
      def initialize(store, query_builder, embedding, observation = nil, any_vectors: false)
        @observation = Base::Observation.of(observation)
        @store = store
        @query_builder = query_builder
        @embedding = embedding
        @any_vectors = any_vectors
        @takes_parsed = Stores::CheckedStore.takes_parsed?(store)
        @keeps_order = @takes_parsed && store.exact_text?
        @checked = [[nil, check]]
        freeze
      end

      # @return [Boolean] whether the store's order is the order of its scores (ORD-1), as a store of this library
      #   promises
      def keeps_order?
        @keeps_order
      end

      # The candidates of a request: the question's vector is made now, the store is asked later.
      #
      # @param request [RetrievalRequest] what is asked for
      # @param vector [Array<Float>, nil] is compared with the documents' vectors, instead of that of the question
      # @param fields [Array<String>, nil] those of the documents that are fetched; nil: what a rerank and a chunk are
      #   made of
      # @param generation [Integer, String, nil] of the store, if it is known: its vectors are checked once for each
      #   (DOC-7)
      # @return [FetchedCandidates]
      def candidates(request, vector = nil, fields = nil, generation = nil)
        started = FetchedCandidates.clock
        dense, warnings = vector.nil? ? asked(request, generation) : given(request, vector)
        FetchedCandidates.new(self, request, dense, fields, FetchedCandidates.clock - started, warnings)
      end

      # @return [Recalled] the candidates from `offset` on, at most `limit`, by the fused order of both legs (ORD-1)
      def search(request, offset, limit)
        search_with(request, asked(request)[0], CandidateBlock.new(offset, limit))
      end

      # @return [Recalled] as {#search}, with a dense query that was made before
      def search_with(request, dense, block)
        @observation.measure("recall", offset: block.offset, limit: block.limit) do |event|
          found(request, dense, block).tap do |recalled|
            event.update(candidates: recalled.result.ids.size, total: recalled.result.total)
          end
        end
      end

      # @return [Recalled] as {#search_with}, for a stretch of a ranking of all candidates, which is what the event
      #   describes
      def stretch(request, dense, block)
        @observation.measure("recall", offset: 0, limit: request.topk) do |event|
          found(request, dense, block).tap do |recalled|
            total = recalled.result.total
            event.update(candidates: [total, request.topk].min, total:)
          end
        end
      end

      private

      def found(request, dense, block)
        return everything(request, block) if request.match_all

        recalled = attempt(request, request.min_match, dense, block)
        return recalled if recalled.result.total.positive?
        return listed(request, recalled, dense, block) if request.names_documents?

        return recalled if request.fused? && request.text_leg == "bm25f"

        again = request.fused? ? dense : dense && relaxed(dense)
        attempt(request, RETRY_MIN_MATCH, again, block)
      end

      def everything(request, block)
        Recalled.new(result: ask(request, [], nil, [], block), query: nil, min_match: request.min_match,
                     similarity: request.similarity, keywords: [], listed: true)
      end

      def listed(request, recalled, dense, block)
        keywords = recalled.result.keywords
        found = ask(request, [], dense, keywords, block)
        recalled.with_result(found.asked_with(keywords, dense&.vector), listed: true)
      end

      # The dense query, and warnings about what it does not find (DOC-7).
      def asked(request, generation = nil)
        return [nil, []] if request.match_all
        return [nil, warnings(generation)] if @embedding.nil?

        [embedded(request), warnings(generation)]
      end

      def embedded(request)
        @observation.measure("embed", texts: 1, kind: "query") do
          @embedding.match_dense(request.question, topk: request.depth, similarity: request.similarity)
        end
      rescue EmbeddingError => e
        Base::Log.warning(e.message)
        raise
      end

      # As {#asked}, for a vector that was given.
      def given(request, vector)
        field = Stores::Documents::StoredFields.vector_field(vector.size)
        warnings = Stores::VectorModels.check_vector(@store, vector.size, any_vectors: @any_vectors)
        dense = AdapterKit::MatchDenseExpr.new(field:, vector:, topn: request.depth,
                                               extra_options: { "similarity" => request.similarity })
        [dense, warnings]
      end

      # What {#check} returns, which is computed once for each generation of the store.
      def warnings(generation)
        known, warnings = @checked[0]
        return warnings unless generation.nil? || known != generation

        check.tap { |found| @checked[0] = [generation, found] }
      end

      def check
        Stores::VectorModels.check(@store, @embedding, any_vectors: @any_vectors)
      end

      def relaxed(dense)
        AdapterKit::MatchDenseExpr.new(field: dense.field, vector: dense.vector, topn: dense.topn,
                                       extra_options: { "similarity" => RETRY_SIMILARITY })
      end

      def attempt(request, min_match, dense, block)
        text = text_question(request, min_match)
        expressions = [text.expression, dense].compact
        expressions << request.fusion if expressions.size == 2 || (expressions.size == 1 && request.fuses_one_leg?)
        widened = marks?(request) ? with_parts(text.marked) : []
        found = expressions.empty? ? nothing(widened) : ask(request, expressions, dense, widened, block)
        Recalled.new(
          result: @takes_parsed ? found : found.asked_with(widened, dense&.vector),
          query: text.query,
          min_match:,
          similarity: dense ? dense.extra_options["similarity"] : request.similarity,
          keywords: text.keywords
        )
      end

      # The text query of a question, and what is highlighted.
      def text_question(request, min_match)
        if request.text_leg == "bm25f"
          bag = @query_builder.build_bm25f_query(request.question)
          return TextQuestion.new(nil, nil, [], nil) unless bag

          keywords = bag.tokens | (marks?(request) ? @query_builder.written_words(request.question) : [])
          return TextQuestion.new(bag.with_topn(request.depth), bag.tokens, keywords, nil)
        end
        text, keywords = @query_builder.build_text_query(request.question, min_match:)
        TextQuestion.new(text&.with_topn(request.depth), text&.tree, keywords, keywords)
      end

      # Whether anybody sees what is highlighted.
      def marks?(request)
        request.highlight || request.explain
      end

      def nothing(keywords)
        AdapterKit::SearchResult.new(total: 0, ids: [], fields: {}, keywords:)
      end

      def ask(request, expressions, dense, keywords, block)
        ordering = request.order_by.map { |field, _| Stores::Documents::FieldPath.of(field).steps[0] }
        counted = (request.facets || {}).values.map { |field| Stores::Documents::FieldPath.of(field).steps[0] }
        fields = block.fields || [*SELECTED_FIELDS, *dense&.field]
        @store.search(
          select_fields: [*fields, *ordering, *counted].uniq,
          filters: @takes_parsed ? request.parsed_filters : request.filters,
          match_exprs: expressions,
          order_by: request.order_by,
          limit: block.limit,
          offset: block.offset,
          rank_feature: request.rank_feature,
          agg_fields: (request.facets || {}).values.uniq,
          highlight_fields: request.highlight && block.fields.nil? ? ["content_with_weight"] : [],
          keywords:
        )
      end

      # The keywords without repeats, each followed by its fine-grained parts of two characters or more.
      def with_parts(keywords)
        found = {}
        keywords.each do |keyword|
          found[keyword] = true
          @query_builder.tokenizer.fine_grained(keyword).each { |part| found[part] = true if part.length >= 2 }
        end
        found.keys
      end
    end

    # The candidates of one request, fetched from the store block by block, or all at once.
    class FetchedCandidates
      include Base::ShortInspect

      # @return [Float] how long recall has taken so far
      attr_reader :seconds
      # @return [Recalled, nil] what was fetched last
      attr_reader :latest
      # @return [Array<String>] what is not found by its vector
      attr_reader :warnings

      # @return [Float] seconds on a clock that only goes forward
      def self.clock
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end

      def initialize(recall, request, dense, fields = nil, seconds = 0.0, warnings = [])
        @recall = recall
        @request = request
        @dense = dense
        @fields = fields
        @seconds = seconds
        @warnings = warnings
        @latest = nil
        @all = nil
      end

      # @return [Boolean] whether there may be more than the budget lets through (RET-1)
      def cut?
        !@request.match_all && total >= @request.topk
      end

      # @return [Integer] how many there are, as the store said last
      def total
        latest.result.total
      end

      # @return [Recalled] so many from a place on; the store is asked unless all have been fetched
      def block(first, size)
        @all.nil? ? fetch(first, size) : @all.block(first, size)
      end

      # @return [Recalled] so many from a place on, as {#fetch_all} ranks them
      def stretch(first, size)
        block = CandidateBlock.new(first, [0, [size, @request.topk - first].min].max, @fields)
        @latest = @recall.stretch(@request, @dense, block)
      end

      # Fetch all that the budget lets through, unless they have been.
      #
      # @return [Boolean] whether the store was asked
      def fetch_all
        return false if @all

        @all = fetch(0, @request.topk)
        true
      end

      private

      def fetch(offset, limit)
        started = FetchedCandidates.clock
        @latest = @recall.search_with(@request, @dense, CandidateBlock.new(offset, limit, @fields))
        @seconds += FetchedCandidates.clock - started
        @latest
      end
    end
  end
end
