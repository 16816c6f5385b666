# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # A block of candidates that are fetched together.
    class CandidateBlock
      include Base::ShortInspect

      # @return [Integer] the number of candidates before the block
      attr_reader :offset
      # @return [Integer] maximum number of candidates in the block
      attr_reader :limit
      # @return [Array<String>, nil] the fields to fetch of each; nil fetches those that a rerank and a chunk need
      attr_reader :fields
      # @return [Boolean] whether the documents are fetched as well, if the store can read them at once
      attr_reader :documents

      def initialize(offset, limit, fields = nil, documents: false)
        @offset = offset
        @limit = limit
        @fields = fields
        @documents = documents
        freeze
      end
    end

    # The text leg's query for a question.
    class TextQuestion
      include Base::ShortInspect

      # @return [AdapterKit::MatchTextExpr, AdapterKit::MatchBm25fExpr, nil] the query for the store, nil if the
      #   question contains nothing to search for
      attr_reader :expression
      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::AnyOf, AdapterKit::Tree::Boost,
      #   AdapterKit::Tree::Group, Array<String>, nil] its tree or its tokens
      attr_reader :query
      # @return [Array<String>] the words to highlight
      attr_reader :marked
      # @return [Array<String>, nil] the question's keywords (RNK-1), nil if the leg has not extracted them
      attr_reader :keywords

      def initialize(expression, query, marked, keywords)
        @expression = expression
        @query = query
        @marked = marked
        @keywords = keywords
        freeze
      end
    end

    # The result of recall.
    class Recalled
      include Base::ShortInspect

      # @return [AdapterKit::SearchResult] the store's result; its keywords are the question's, each followed by its
      #   fine-grained parts
      attr_reader :result
      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::AnyOf, AdapterKit::Tree::Boost,
      #   AdapterKit::Tree::Group, Array<String>, nil] the tree or the tokens of the text query, nil if the question had
      #   no text query
      attr_reader :query
      # @return [Float] the minimum share of clauses that the found documents matched
      attr_reader :min_match
      # @return [Float] the lowest cosine that the dense leg accepts
      attr_reader :similarity
      # @return [Array<String>, nil] the question's keywords; nil until they are extracted
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

      # @return [Recalled] the same recall with another result of the store
      def with_result(other, listed: @listed)
        Recalled.new(result: other, query:, min_match:, similarity:, keywords:, listed:)
      end
    end

    # Queries a store for the candidates of a question (RET-1), and queries it again if it found nothing (RET-2).
    class Recall
      include Base::ShortInspect

      SELECTED_FIELDS = %w[
        id doc_id docnm_kwd kb_id content_ltks content_with_weight title_tks important_kwd question_tks position_int
        pagerank_fea tag_feas metadata
      ].freeze
      # The fields that a rerank reads; the vector that is compared is fetched with them.
      RERANK_FIELDS = %w[content_ltks title_tks important_kwd question_tks pagerank_fea tag_feas].freeze
      RETRY_MIN_MATCH = 0.1
      RETRY_SIMILARITY = 0.17

      # @param store [DocStoreAdapter] the documents
      # @param query_builder [QueryBuilder] makes the text query
      # @param embedding [Embedding, nil] makes the dense query; without one only the text leg runs
      # @param observation [Base::Observation, nil] receives an event for each recall, and for each vector of a question
      #   (OBS-1)
      # @param any_vectors [Boolean] whether to accept a store all of whose vectors have another dimension than the
      #   embedding's
      # @raise [InvalidInputError] the store's vectors are of another model or dimension than the embedding's (DOC-7)
      def initialize(store, query_builder, embedding, observation = nil, any_vectors: false)
        @observation = Base::Observation.of(observation)
        @store = store
        @query_builder = query_builder
        @embedding = embedding
        @any_vectors = any_vectors
        @takes_parsed = Stores::CheckedStore.takes_parsed?(store)
        @keeps_order = @takes_parsed && store.supports_bm25f?
        @checked = [[nil, check]]
        freeze
      end

      # @return [Boolean] whether the store's order is the order of its scores (ORD-1), as the stores of this library
      #   guarantee
      def keeps_order?
        @keeps_order
      end

      # Return the candidates of a request; the question's vector is made now, the store is queried later.
      #
      # @param request [RetrievalRequest] the request
      # @param vector [Array<Float>, nil] replaces the vector of the question
      # @param fields [Array<String>, nil] the fields to fetch of each document; nil fetches those that a rerank and a
      #   chunk need
      # @param generation [Integer, String, nil] the generation of the store, if it is known; the store's vectors are
      #   checked once for each (DOC-7)
      # @param checks [Boolean] whether this check is made now; otherwise the caller asks for its {#warnings} afterwards
      # @return [FetchedCandidates]
      def candidates(request, vector = nil, fields = nil, generation = nil, checks: true)
        started = FetchedCandidates.clock
        dense, warnings = vector.nil? ? [asked(request), []] : given(request, vector)
        warnings = warnings(request, generation) if vector.nil? && checks
        FetchedCandidates.new(self, request, dense, fields, FetchedCandidates.clock - started, warnings)
      end

      # @return [Recalled] up to `limit` candidates from `offset` on, by the fused order of both legs (ORD-1)
      def search(request, offset, limit)
        dense = asked(request)
        warnings(request, nil)
        search_with(request, dense, CandidateBlock.new(offset, limit))
      end

      # @return [Recalled] the same as {#search}, with a dense query that was made before
      def search_with(request, dense, block)
        @observation.measure("recall", offset: block.offset, limit: block.limit) do |event|
          found(request, dense, block).tap do |recalled|
            event.update(candidates: recalled.result.ids.size, total: recalled.result.total)
          end
        end
      end

      # @return [Recalled] the same as {#search_with}, for a part of a ranking of all candidates; the event describes
      #   the part
      def stretch(request, dense, block)
        @observation.measure("recall", offset: 0, limit: request.topk) do |event|
          found(request, dense, block).tap do |recalled|
            total = recalled.result.total
            event.update(candidates: [total, request.topk].min, total:)
          end
        end
      end

      # Return warnings about documents that a question's vector does not find (DOC-7).
      #
      # @param request [RetrievalRequest] the request; if it lists everything, there are no warnings
      # @param generation [Integer, String, nil] the generation of the store, for each of which this is computed once;
      #   nil if it is not known
      # @param fields [Hash{String=>Hash{String=>Object}}, nil] the facts about the vector fields of this generation;
      #   nil if the store has to be asked
      # @return [Array<String>]
      def warnings(request, generation, fields = nil)
        return [] if request.match_all

        known, warnings = @checked[0]
        return warnings unless generation.nil? || known != generation

        check(fields).tap { |found| @checked[0] = [generation, found] }
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

      # Return the dense query.
      def asked(request)
        request.match_all || @embedding.nil? ? nil : embedded(request)
      end

      def embedded(request)
        @observation.measure("embed", texts: 1, kind: "query") do
          @embedding.match_dense(request.question, topk: request.depth, similarity: request.similarity)
        end
      rescue EmbeddingError => e
        Base::Log.warning(e.message)
        raise
      end

      # Return the dense query of a given vector, and warnings about documents that it does not find (DOC-7).
      def given(request, vector)
        field = Stores::Documents::StoredFields.vector_field(vector.size)
        warnings = Stores::VectorModels.check_vector(@store, vector.size, any_vectors: @any_vectors)
        dense = AdapterKit::MatchDenseExpr.new(field:, vector:, topn: request.depth,
                                               extra_options: { "similarity" => request.similarity })
        [dense, warnings]
      end

      def check(fields = nil)
        Stores::VectorModels.check(@store, @embedding, any_vectors: @any_vectors, fields:)
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

      # Return the text query of a question, and the words to highlight.
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

      # Return whether highlights are shown.
      def marks?(request)
        request.highlight || request.explain
      end

      def nothing(keywords)
        AdapterKit::SearchResult.new(total: 0, ids: [], fields: {}, keywords:)
      end

      def ask(request, expressions, dense, keywords, block)
        ordering = request.order_by.map { |field, _| Stores::Documents::FieldPath.of(field).steps[0] }
        counted = (request.facets || {}).values.map { |field| Stores::Documents::FieldPath.of(field).steps[0] }
        fields = fields_of(block, [*dense&.field])
        @store.search(
          select_fields: [*fields, *ordering, *counted].uniq,
          filters: @takes_parsed ? request.parsed_filters : request.filters,
          match_exprs: expressions,
          order_by: request.order_by,
          limit: block.limit,
          offset: block.offset,
          rank_feature: request.rank_feature_recall ? request.rank_feature : nil,
          agg_fields: (request.facets || {}).values.uniq,
          highlight_fields: request.highlight && block.fields.nil? ? ["content_with_weight"] : [],
          keywords:,
          **(block.documents ? { documents: true } : {})
        )
      end

      # Return the fields to fetch of a block, with the vector field that a rerank compares.
      def fields_of(block, vector)
        return [*SELECTED_FIELDS, *vector] if block.fields.nil?

        block.fields == RERANK_FIELDS ? [*block.fields, *vector] : block.fields
      end

      # Return the keywords without repeats, each followed by its fine-grained parts of two characters or more.
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

      # @return [Float] the duration of recall so far, in seconds
      attr_reader :seconds
      # @return [Recalled, nil] the last fetched result
      attr_reader :latest
      # @return [Array<String>] warnings about documents that their vectors do not find
      attr_accessor :warnings

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

      # @return [Boolean] whether more candidates may exist than the budget permits (RET-1)
      def cut?
        !@request.match_all && total >= @request.topk
      end

      # @return [Integer] the number of candidates, as the store last reported it
      def total
        latest.result.total
      end

      # @return [Recalled] `size` candidates from position `first` on; the store is queried unless all have been fetched
      def block(first, size)
        @all.nil? ? fetch(first, size) : @all.block(first, size)
      end

      # @return [Recalled] `size` candidates from position `first` on, in the ranking of {#fetch_all}, with their
      #   documents
      def stretch(first, size)
        block = CandidateBlock.new(first, [0, [size, @request.topk - first].min].max, @fields, documents: true)
        @latest = @recall.stretch(@request, @dense, block)
      end

      # Fetch all candidates that the budget permits, unless they have been.
      #
      # @return [Boolean] whether the store was queried
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
