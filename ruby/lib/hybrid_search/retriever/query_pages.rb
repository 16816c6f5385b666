# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # Where a request stands.
    class Walk
      include ShortInspect

      # @return [QueryRequest] the request; without its model where the walk has lost it
      attr_reader :request
      # @return [Cursor, nil] what leads here, nil on the first page
      attr_reader :cursor
      # @return [Integer, String] of the index, now
      attr_reader :generation

      def initialize(request, cursor, generation)
        @request = request
        @cursor = cursor
        @generation = generation
        freeze
      end

      # @return [Boolean] whether the walk goes on without its model
      def model_failed?
        request.partial.nil? && !request.model.nil?
      end

      # @return [RankingKey, nil] the place of the last result that was shown
      def key
        cursor&.key
      end

      # @return [Integer] how many results were shown before
      def position
        cursor.nil? ? 0 : cursor.position
      end

      # @return [Integer, String] the generation of the first page
      def first_generation
        cursor.nil? ? generation : cursor.generation
      end

      # @return [Integer] how many results the cap has left for this page
      def room
        [0, [request.limit, request.max_results - position].min].max
      end
    end

    # Makes the pages of a retriever's walks by cursor (CUR-1 … CUR-4, CUR-7).
    class QueryPages
      include ShortInspect

      AT_CAP = "the walk ends at max_results, %d; more may match"
      AT_BUDGET = "the walk ends at its budget of %d candidates; more may match"
      GONE_ON_WITHOUT = "ranked without the rerank model: it failed on an earlier page of this walk"

      # @param store [DocStoreAdapter] the documents
      # @param recall [Recall] asks the store
      # @param rank [#call] scores candidates in the first stage, of which the first has the given place; what it leaves
      #   out does not matter
      # @param codec [CursorCodec] writes and reads cursors
      # @param cache [RankingCache, nil] keeps rankings; nil: each page ranks anew
      def initialize(store, recall, rank, codec, cache)
        @store = store
        @recall = recall
        @rank = rank
        @codec = codec
        @cache = cache
        freeze
      end

      # @param request [QueryRequest]
      # @return [QueryResult] the page that a request asks for
      # @raise [InvalidCursorError] the cursor is not one of this request
      def page(request)
        walk = start(request)
        return result(walk, nothing(request)) if request.retrieval.blank?

        request.retrieval.match_all ? browsed(walk) : result(walk, ranking(walk))
      end

      # All results from the cursor on: ranked once, up to the cap, or, with `match_all`, read bit by bit to the end.
      #
      # A line in the log says where the walk ends at its budget or at the cap (LOG-1).
      #
      # @param request [QueryRequest]
      # @yieldparam hit [QueryHit]
      def each_result(request, &)
        walk = start(request)
        return if request.retrieval.blank?
        return each(browse(walk), walk, nil, &) if request.retrieval.match_all

        ranking = ranking(walk)
        each(ranking, walk, request.max_results, &)
        capped = ranking.capped || ranking.hits.size > request.max_results
        lines = capped ? [format(AT_CAP, request.max_results)] : ended(request, ranking, goes_on: false)
        lines.each { |line| Log.warning(line) }
        nil
      end

      private

      # All results from where a walk stands, so many at the most.
      def each(source, walk, most, &)
        key = walk.key
        position = walk.position
        limit = walk.request.limit
        while (room = most.nil? ? limit : [limit, most - position].min).positive?
          stretch = source.after(key, position, room)
          stretch.hits.map(&:hit).each(&)
          break unless stretch.follows && !stretch.hits.empty?

          position += stretch.hits.size
          key = stretch.hits.last.key
        end
      end

      # Check the cursor against the request and the index (CUR-3).
      def start(request)
        generation = checked_generation(@store.generation)
        return Walk.new(request, nil, generation) if request.cursor.nil?

        cursor = @codec.decode(request.cursor)
        lost = cursor.fingerprint == request.fingerprint(model_failed: true) && !request.partial.nil?
        asked = lost || cursor.fingerprint == request.fingerprint
        unless asked && cursor.key.values.size == request.retrieval.order_by.size
          raise InvalidCursorError, CursorCodec::OTHER_REQUEST
        end

        changed = cursor.generation != generation
        raise InvalidCursorError, CursorCodec::CHANGED if changed && request.refuses_changes

        Walk.new(lost ? request.without_model : request, cursor, generation)
      end

      def checked_generation(generation)
        return generation if generation.is_a?(::Integer) || generation.is_a?(::String)

        raise Validation.failure("the generation of the store", generation, "an integer or a text", DocStoreError)
      end

      def nothing(request)
        Ranking.new(order: RankingOrder.new([]), hits: [], fingerprint: "",
                    facets: Facets.facets(request.retrieval, {}))
      end

      def ranking(walk)
        return ranked(walk) if @cache.nil?

        generations = [walk.first_generation, walk.generation].uniq
        found = @cache.fetch(generations.map { |each| cache_key(walk, each) })
        return found if found

        ranked(walk).tap do |ranking|
          if ranking.fingerprint == walk.request.fingerprint(model_failed: walk.model_failed?)
            @cache.keep(cache_key(walk, walk.generation), ranking)
          end
        end
      end

      # All that a ranking depends on: whose it is, what was asked, of which index, and what is shown beside it.
      def cache_key(walk, generation)
        asked = walk.request.retrieval
        shown = [asked.highlight, asked.explain, asked.facet_limit, asked.facets]
        fingerprint = walk.request.fingerprint(model_failed: walk.model_failed?)
        [self, fingerprint, generation, Collaborators::Same.new(walk.request.model), shown]
      end

      # Rank the whole effective budget.
      def ranked(walk)
        request = walk.request
        candidates = @recall.candidates(request.retrieval)
        candidates.fetch_all
        block = @rank.call(request.retrieval, candidates.latest, 0)
        partial = partial(request, block)
        order = RankingOrder.new(request.retrieval.order_by)
        failed = walk.model_failed? || partial&.status == "failed"
        hits = Ranking.rank_hits(request, order, block, partial)
        Ranking.new(
          order:,
          hits:,
          fingerprint: request.fingerprint(model_failed: failed),
          capped: withholds?(request, candidates),
          cut: candidates.cut?,
          warnings: warnings_of(walk, candidates, block, partial, request),
          **beside(request, block, counted(request.retrieval, block, hits))
        )
      end

      def partial(request, block)
        return if request.partial.nil? || @store.fuses_scores?

        request.partial.rerank_result(request.retrieval.question, block.recalled.result, block.outcome.stage1_scores)
      end

      # What facets count: the results.
      def counted(retrieval, block, hits)
        result = block.recalled.result
        return result.aggs if retrieval.facets.nil? || hits.size == block.outcome.ids.size

        Facets.counts(retrieval, hits.map { |one| result.fields.fetch(one.key.id) })
      end

      # What is told beside the results.
      def beside(request, block, counts)
        retrieval = request.retrieval
        {
          facets: Facets.facets(retrieval, counts),
          explain: retrieval.explain ? Explain.query_explanation(retrieval, block) : nil,
          parts: retrieval.explain ? Explain.recall_parts(block) : {}
        }
      end

      def warnings_of(walk, candidates, block, partial, request)
        lost = walk.model_failed? ? [GONE_ON_WITHOUT] : []
        [*candidates.warnings, *lost, *block.outcome.warnings, *partial&.warnings,
         *of_filters(block.recalled, request)].uniq
      end

      # Why the filters may have found nothing, where nothing was found.
      def of_filters(recalled, request)
        recalled.result.total.zero? ? FilterWarnings.warnings(@store, request.retrieval.filters) : []
      end

      # Whether the store would have more candidates for the budget, were it not for the cap.
      def withholds?(request, candidates)
        request.beyond_cap && candidates.cut? && candidates.more_than?(request.budget)
      end

      def browse(walk)
        retrieval = walk.request.retrieval
        candidates = @recall.candidates(retrieval)
        Browse.new(walk.request, ->(first, size) { @rank.call(retrieval, candidates.block(first, size), first) })
      end

      def browsed(walk)
        browse = browse(walk)
        stretch = browse.after(walk.key, walk.position, walk.room)
        block = browse.latest
        beside = beside(walk.request, block, block.recalled.result.aggs)
        ranking = Ranking.new(order: browse.order, hits: [], fingerprint: browse.fingerprint,
                              warnings: [*block.outcome.warnings, *of_filters(block.recalled, walk.request)].uniq,
                              **beside)
        cut(walk, ranking, stretch)
      end

      def result(walk, ranking)
        cut(walk, ranking, ranking.after(walk.key, walk.position, walk.room))
      end

      # The page of a stretch (CUR-4).
      def cut(walk, ranking, stretch)
        at_cap = walk.position + stretch.hits.size >= walk.request.max_results
        capped = ranking.capped || (stretch.follows && at_cap)
        next_cursor = stretch.follows && !at_cap ? following(walk, ranking, stretch) : nil
        QueryResult.new(
          results: stretch.hits.map(&:hit),
          next_cursor:,
          paging: paging(walk, stretch, capped),
          warnings: [*ranking.warnings, *ended(walk.request, ranking, goes_on: capped || !next_cursor.nil?)],
          facets: ranking.facets,
          explain: explained(ranking, stretch)
        )
      end

      # The warning that a walk ends at its budget; none where it goes on, or where nothing was withheld.
      def ended(request, ranking, goes_on:)
        ranking.cut && !goes_on ? [format(AT_BUDGET, request.budget)] : []
      end

      def following(walk, ranking, stretch)
        position = walk.position + stretch.hits.size
        @codec.encode(Cursor.new(stretch.hits.last.key, position, ranking.fingerprint, walk.first_generation))
      end

      def paging(walk, stretch, capped)
        request = walk.request
        Paging.new(limit: request.limit, returned: stretch.hits.size, position: walk.position, budget: request.budget,
                   max_results: request.max_results, capped:, index_changed: walk.first_generation != walk.generation)
      end

      def explained(ranking, stretch)
        return if ranking.explain.nil?

        ranking.explain.merge("results" => stretch.hits.map { |one| ranking.parts.fetch(one.key.id).dup })
      end
    end
  end
end
