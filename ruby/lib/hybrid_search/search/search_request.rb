# frozen_string_literal: true

module HybridSearch
  module Search
    # The checked options of one search, with their defaults filled in (CUR-1, IDX-6); see {Index#search} for their
    # meaning.
    class SearchRequest
      include Base::ShortInspect

      # The last page; higher numbers count as this one, which is empty.
      LAST_PAGE = 1_000_000_000
      NUMBER = /\A[[:space:]\u001c-\u001f]*\+?0*([0-9]{1,10})[[:space:]\u001c-\u001f]*\z/
      # The options that usually change from call to call.
      PER_CALL = { "vector" => nil, "limit" => nil, "page" => nil, "cursor" => nil }.freeze
      NO_MODEL = ->(_query, texts) { [0.0] * texts.size }
      private_constant :NUMBER, :NO_MODEL

      # @return [Retrievers::RetrievalRequest] the request for recall and the first stage: without the model; its `topk`
      #   is the number of candidates
      attr_reader :retrieval
      # @return [#similarity, #call, nil] the rerank model
      attr_reader :model
      # @return [Array<Float>, nil] the vector whose nearest documents are found
      attr_reader :vector
      # @return [Integer] the number of hits on a page
      attr_reader :limit
      # @return [Integer] the number of the page; 1 with a cursor
      attr_reader :page
      # @return [Object] the cursor as given, nil for a page by number
      attr_reader :cursor
      # @return [Boolean] whether a changed index is an error
      attr_reader :refuses_changes
      # @return [Float, nil] the lowest cosine of a hit, nil for no limit
      attr_reader :min_cosine
      # @return [Array<String>] the additional parts of hits
      attr_reader :include
      # @return [Integer] the number of neighbours of a hit on each side
      attr_reader :context
      # @return [Arrangement, nil] the changes of the ranking before it is shown, nil without such changes
      attr_reader :arrangement
      # @return [Boolean] whether hits contain their content with the matches marked
      attr_reader :highlight
      # @return [FragmentOptions, nil] the options of fragments, nil without fragments
      attr_reader :fragments
      # @return [PartialRerank, nil] reranks the head by the model, nil without a model, or if the walk continues
      #   without it
      attr_reader :partial
      # @return [Boolean] whether all candidates stay as they were fused, and nothing is counted over them
      attr_reader :keeps_fusion
      # @return [#call, nil] a callable that may change the question and the filters before the search (RWR-1)
      attr_reader :rewrite
      # @return [Rewritten] the changes of that callable
      attr_reader :rewritten

      # @param question [Object]
      # @param options [Hash] the given options
      # @param max_results [Integer] the maximum of `limit` and of the number of candidates
      # @raise [InvalidInputError] an option is unknown, or a value is not accepted; the message names it
      # @return [SearchRequest]
      def self.build(question, options, max_results)
        Base::Validation.known("option", options.keys, SearchOptions::DEFAULTS.keys)
        given = options.transform_keys(&:to_s)
        whole = filled(given)
        # The weights are checked even if the method has no weights.
        AdapterKit::FusionExpr.new("weighted_sum", 1, given.slice("weights")) if given.key?("weights")
        new(question, whole, max_results)
      end

      # Return the options; missing ones are those of the profile, otherwise the defaults.
      def self.filled(options)
        defaults = SearchOptions::DEFAULTS
        accepted = Retrievers::Profiles::CHOICES["profile"]
        profile = Base::Validation.choice("profile", options.fetch("profile", defaults["profile"]), accepted)
        sets = Retrievers::Profiles::PROFILES.fetch(profile).transform_keys("similarity_threshold" => "min_score")
        { **defaults, **sets, **options }
      end
      private_class_method :filled

      # @api private
      def initialize(question, given, max_results)
        @highlight = Base::Validation.boolean("highlight", given["highlight"])
        @fragments = given["fragments"].nil? ? nil : FragmentOptions.of(given["fragments"])
        given = { **given, "highlight" => true } unless @fragments.nil?
        @retrieval = checked_retrieval(question, given, max_results)
        fusion_kept = fusion_kept?(given["min_cosine"])
        @model = @retrieval.rerank_model
        partial = partial_rerank(given)
        accepted = Retrievers::Profiles::CHOICES["on_index_change"]
        @refuses_changes = Base::Validation.choice("on_index_change", given["on_index_change"], accepted) == "error"
        @retrieval = @retrieval.without_model
        place(given, max_results)
        @min_cosine = checked_cosine(given["min_cosine"])
        @include = Records::RecordOf.included(given["include"]).freeze
        @context = Base::Validation.integer("context", given["context"], 0, Neighbours::MOST)
        @arrangement = checked_arrangement(given)
        @keeps_fusion = @arrangement.nil? && fusion_kept
        @partial = @model.nil? ? nil : partial
        @rerank = {
          "rerank_top_k" => given["rerank_top_k"],
          "rerank_fusion" => given["rerank_fusion"].to_s,
          "rerank_weight" => given["rerank_weight"].to_f
        }.freeze
        @rewrite = given["rewrite"].nil? ? nil : Rewritten.accept(given["rewrite"])
        @rewritten = Rewritten::AS_GIVEN
        @settled = {}
        freeze
      end

      # @param question [String] the question, accepted
      # @param options [Hash] the given options, all from {PER_CALL}
      # @param max_results [Integer] the maximum of `limit`
      # @return [SearchRequest] this request for another question and place; the other options need not be checked again
      # @raise [InvalidInputError] a value is not accepted; the message names it
      def for_call(question, options, max_results)
        given = { **PER_CALL, "limit" => limit, **options.transform_keys(&:to_s) }
        dup.placed(retrieval.asking(question), given, max_results)
      end

      # @return [Integer] the maximum number of documents that are ranked
      def candidates
        retrieval.topk
      end

      # @return [Integer] the number of hits on the previous pages, without a cursor
      def position
        (page - 1) * limit
      end

      # @return [Boolean] whether the request is empty: no question, no vector, and no `match_all` (RET-6)
      def blank?
        vector.nil? && retrieval.blank?
      end

      # @return [SearchRequest] the same request for a walk that continues without its failing model
      def without_model
        copy = dup
        copy.instance_variable_set(:@partial, nil)
        copy.freeze
      end

      # @param rewritten [Rewritten]
      # @return [SearchRequest] the same request, with the changes of a callable
      def with_rewritten(rewritten)
        copy = dup
        copy.instance_variable_set(:@rewritten, rewritten)
        copy.freeze
      end

      # Return the fingerprint that distinguishes requests (CUR-3).
      #
      # @param model_failed [Boolean] whether the walk continues without the model, because it failed on an earlier page
      # @return [String] 16 hex digits
      def fingerprint(model_failed: false)
        asked = { "question" => retrieval.question, **rewritten.asked }
        asked["vector"] = vector unless retrieval.match_all
        changing = asked.transform_values { |value| CursorCodec.canonical(value) }
        CursorCodec.fingerprint(settled(model_failed).merge(changing))
      end

      protected

      def placed(retrieval, given, max_results)
        @retrieval = retrieval
        place(given, max_results)
        freeze
      end

      private

      # Set the options that change from call to call.
      def place(given, max_results)
        unless given["cursor"].nil? || given["page"].nil?
          raise InvalidInputError, "page and cursor exclude each other: one says which page it is"
        end

        @vector = checked_vector(given["vector"])
        @limit = [Base::Validation.integer("limit", given["limit"], 1), max_results].min
        @page = checked_page(given["page"])
        @cursor = given["cursor"]
      end

      def checked_arrangement(given)
        return if Arrangement::OPTIONS.each_key.all? { |name| given[name].equal?(SearchOptions::DEFAULTS[name]) }

        Arrangement.of(given, retrieval)
      end

      def fusion_kept?(min_cosine)
        counts = @retrieval.facets || @retrieval.explain
        moves = @retrieval.match_all || !@retrieval.order_by.empty? || min_cosine
        @retrieval.fused? && @retrieval.passes_all? && !counts && !moves
      end

      # Return the parts of fingerprints that do not change from call to call; they are computed on first use.
      def settled(model_failed)
        @settled[model_failed] ||= begin
          asked = {
            "filters" => retrieval.filters,
            "order_by" => retrieval.order_by,
            "match_all" => retrieval.match_all
          }
          asked.update(of_ranking(model_failed)) unless retrieval.match_all
          asked.transform_values { |value| CursorCodec.canonical(value) }
        end
      end

      def of_ranking(model_failed)
        fusion = retrieval.fusion
        {
          "candidates" => candidates,
          "min_score" => retrieval.similarity_threshold,
          "min_cosine" => min_cosine,
          "vector_similarity_weight" => retrieval.vector_similarity_weight,
          "rank_feature" => retrieval.rank_feature,
          **(retrieval.rank_feature_recall ? { "rank_feature_recall" => true } : {}),
          "fusion" => { "method" => fusion.method }.merge(fusion.params),
          "rerank" => model.nil? ? nil : @rerank.merge("failed" => model_failed),
          "text_leg" => retrieval.text_leg,
          "ranking" => retrieval.ranking,
          **(arrangement.nil? ? {} : arrangement.asked)
        }
      end

      # Return the request for recall and the first stage, with the model.
      def checked_retrieval(question, given, max_results)
        candidates = Base::Validation.integer("candidates", given["candidates"], 1)
        shared = given.slice(*Retrievers::RetrievalOptions::DEFAULTS.keys).except("page")
        renamed = {
          "topk" => [candidates, max_results].min,
          "similarity_threshold" => Base::Validation.number("min_score", given["min_score"])
        }
        page_size = Retrievers::RetrievalOptions::DEFAULTS["page_size"]
        Retrievers::RetrievalRequest.build(question, shared.merge(renamed), page_size)
      end

      # Return the number of a page; any other value, which a form or an address may contain, is the first page.
      def checked_page(value)
        value = Base::Validation.text("page", value)[NUMBER, 1]&.to_i if value.is_a?(::String)
        value.nil? ? 1 : Base::Validation.integer("page", value).clamp(1, LAST_PAGE)
      end

      def checked_vector(value)
        return nil if value.nil?
        raise InvalidInputError, "vector must not be set where match_all is true" if retrieval.match_all

        vector = Base::Validation.vector("vector", value)
        raise InvalidInputError, "vector must not be zero: its squared norm is 0" if vector.all?(&:zero?)

        vector.freeze
      end

      def checked_cosine(value)
        return nil if value.nil?

        cosine = Base::Validation.number("min_cosine", value, -1.0, 1.0)
        raise InvalidInputError, "min_cosine must not be set where match_all is true" if retrieval.match_all

        cosine
      end

      # Return the rerank of the head; without a model, one that is never called, so that its options are checked.
      def partial_rerank(given)
        PartialRerank.new(
          model || NO_MODEL,
          rerank_top_k: given["rerank_top_k"],
          rerank_fusion: given["rerank_fusion"],
          rerank_weight: given["rerank_weight"],
          rerank_batch_size: given["rerank_batch_size"],
          fail_open: retrieval.fail_open,
          rerank_timeout: retrieval.rerank_timeout
        )
      end
    end

    # The position of a request in its walk.
    class Walk
      include Base::ShortInspect

      # @return [SearchRequest] the request; without its model if the walk continues without it
      attr_reader :request
      # @return [Cursor, nil] the cursor of the page, nil for a page by number
      attr_reader :cursor
      # @return [Integer, String] the current generation of the index
      attr_reader :generation

      def initialize(request, cursor, generation)
        @request = request
        @cursor = cursor
        @generation = generation
        freeze
      end

      # Return a walk; raise an error for a generation that a store cannot have, or a change that is refused.
      #
      # @param request [SearchRequest]
      # @param cursor [Cursor, nil]
      # @param generation [Integer, String]
      # @return [Walk]
      def self.of(request, cursor, generation)
        unless generation.is_a?(::Integer) || generation.is_a?(::String)
          raise Base::Validation.failure("the generation of the store", generation, "an integer or a text",
                                         DocStoreError)
        end
        walk = new(request, cursor, generation)
        raise InvalidCursorError, CursorCodec::CHANGED if request.refuses_changes && walk.changed?

        walk
      end

      # @return [Boolean] whether the walk continues without its model
      def model_failed?
        request.partial.nil? && !request.model.nil?
      end

      # @return [String] the fingerprint of the request; that of the cursor is the same, or the page is refused
      def fingerprint
        cursor ? cursor.fingerprint : request.fingerprint(model_failed: model_failed?)
      end

      # @return [RankingKey, nil] the place of the last hit that was shown
      def key
        cursor&.key
      end

      # @return [Integer] the number of hits that were shown before
      def position
        cursor.nil? ? request.position : cursor.position
      end

      # @return [Boolean] whether the index has changed since the first page
      def changed?
        first_generation != generation
      end

      # @return [Integer] the number of places that are read before the page: one after a cursor, to compare it with the
      #   last hit that was shown
      def before
        cursor.nil? ? 0 : 1
      end

      # @return [Array(Integer, Integer)] the first place and the number of places of the page, including those
      #   {#before} it
      def stretch
        [position - before, request.limit + before]
      end

      # @return [Integer, String] the generation of the first page
      def first_generation
        cursor.nil? ? generation : cursor.generation
      end
    end
  end
end
