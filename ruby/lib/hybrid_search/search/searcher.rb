# frozen_string_literal: true

module HybridSearch
  module Search
    # Performs the searches of an index: pages of hits, by number and by cursor, in one order (CUR-1 … CUR-4, CUR-7).
    class Searcher
      include Base::ShortInspect

      # The fields of the text that a rerank model receives (RNK-2).
      FIELDS_OF_MODELS = %w[content_ltks title_tks important_kwd].freeze
      GONE_ON_WITHOUT = "ranked without the rerank model: it failed on an earlier page of this walk"
      # The minimum number of documents that are read at once if all hits are wanted.
      AT_ONCE = 256
      AT_CANDIDATES = "the hits end at %d candidates; more may match"

      # @param store [DocStoreAdapter] the documents
      # @param query_builder [QueryBuilder] reads questions
      # @param embedding [Embedding, nil] makes the vectors of questions
      # @param settings [SearchSettings] the options of the index
      # @param kernels [String, nil] "plain" or "fast", for the reranker
      # @param any_vectors [Boolean] as for {Index}
      # @param observation [Base::Observation] receives an event for each search (OBS-1)
      def initialize(store, query_builder, embedding, settings, kernels, any_vectors, observation)
        @store = store
        @query_builder = query_builder
        @settings = settings
        @has_embedding = !embedding.nil?
        @observation = observation
        @recall = Retrievers::Recall.new(store, query_builder, embedding, observation, any_vectors:)
        @ranker = Retrievers::Ranker.new(store, query_builder, kernels, observation)
        @fuses_scores = store.fuses_scores?
        @defaults = checked("", {})
        check_cosine(@defaults)
        freeze
      end

      # @return [RankingCache, nil] the cache of rankings between pages
      def ranking_cache
        @settings.ranking_cache
      end

      # @see Index#search
      def page(question, options)
        @observation.measure("search") do |event|
          page_of(rewritten(request(question, options), options)).tap do |page|
            event.update(page: page.page, total: page.total, shown: page.hits.size)
          end
        end
      end

      # @see Index#each
      def each(question, options, &block)
        request = request(question, options)
        walk = walk(request) if request.rewrite.nil?
        return each_of(walk || walk(rewritten(request, options)), &block) if block

        Enumerator.new { |hits| each_of(walk(rewritten(request, options))) { |hit| hits << hit } }
      end

      # @param options [Hash{String=>Object}] the options of a call
      # @return [Hash, nil] the given filters of the call, otherwise those of the index
      def filters(options)
        options.fetch("filters", @settings.options["filters"])
      end

      private

      # Return the request of a call; options that are those of the index have been checked already.
      def request(question, options)
        if question.is_a?(::Array)
          problem = Base::Validation.failure("question", question, "a text")
          raise InvalidInputError, "#{problem.message}; search_many takes a list of questions, vector a vector"
        end
        accepted = @query_builder.accept_question(question)
        usual = options.each_key.all? { |name| SearchRequest::PER_CALL.key?(name.to_s) }
        request = usual ? @defaults.for_call(accepted, options, @settings.max_results) : checked(accepted, options)
        check_cosine(request)
        request
      end

      # Return the request that the user's callable makes of a request (RWR-1); the same one without a callable.
      def rewritten(request, options)
        return request if request.rewrite.nil?

        options = options.transform_keys(&:to_s)
        Rewriting.new(request, filters(options), @settings.codec).request do |question, changed|
          checked(@query_builder.accept_question(question), { **options, "filters" => changed })
        end
      end

      def checked(question, options)
        request = @settings.request(question, options, @store.supports_bm25f?)
        request.retrieval.check_store(@store.supports_bm25f?)
        request
      end

      # Refuse a limit of the cosine if the question has no vector.
      def check_cosine(request)
        return if request.min_cosine.nil? || request.vector || @has_embedding

        raise InvalidInputError, "min_cosine needs an embedding or a vector"
      end

      def page_of(request)
        return shown(walk(request), Ranking.nothing(request.retrieval), Stretch.new([], false), []) if request.blank?
        return listed(walk(request)) if request.retrieval.match_all

        walk, page = fuses?(request) ? fused(request) : [nil, nil]
        return page if page

        walk, ranking = walk ? [walk, ranking(walk)] : walked(request)
        shown(walk, ranking, *read(walk, ranking, ranking))
      end

      # Return the walk, and the ranking of all candidates.
      def walked(request)
        if @store.states_generation? && @settings.ranking_cache.nil?
          standing, cursor = standing(request)
          walk, candidates = at_once(standing, cursor, fields(standing), &:fetch_all)
          return [walk, ranked(walk, candidates)] if walk
        end
        walk = walk(request)
        [walk, ranking(walk)]
      end

      # Return whether the candidates of a page stay as the store has fused them.
      def fuses?(request)
        request.keeps_fusion && @recall.keeps_order? && @settings.ranking_cache.nil?
      end

      # Return the walk, and a page of candidates in the order of the store's fusion; no page unless the cursor's hit is
      # at its place. Only the places that are shown are made: they are the same in the ranking of all candidates
      # (FUS-5).
      def fused(request)
        walk, candidates = fetched_stretch(*standing(request)) if @store.states_generation?
        return [walk, walk.changed? ? nil : fused_page(walk, candidates)] if walk

        walk = walk(request)
        return [walk, nil] if walk.changed?

        candidates = @recall.candidates(request.retrieval, request.vector, [], walk.generation)
        candidates.stretch(*walk.stretch)
        [walk, fused_page(walk, candidates)]
      end

      def fetched_stretch(request, cursor)
        first, size = Walk.new(request, cursor, "").stretch
        at_once(request, cursor, []) { |each| each.stretch(first, size) } if first + size <= Fusions::FusedLegs::DEPTH
      end

      # Return the walk and the candidates that the block fetches, if the search itself reads the generation (DOC-11).
      def at_once(request, cursor, fields)
        candidates = @recall.candidates(request.retrieval, request.vector, fields, checks: false)
        yield candidates
        result = candidates.latest.result
        return if result.generation.nil?

        walk = Walk.of(request, cursor, result.generation)
        if request.vector.nil?
          candidates.warnings = @recall.warnings(request.retrieval, result.generation, result.vector_fields)
        end
        [walk, candidates]
      end

      def fused_page(walk, candidates)
        request = walk.request
        recalled = candidates.latest
        keys = Ranking.fused_keys(recalled.result)
        total = [recalled.result.total, request.candidates].min
        formula = recalled.result.fused.nil? ? "fused" : recalled.result.fused.method
        @observation.measure("rerank", candidates: total) { |event| event.update(shown: total, formula:) }
        last = keys.shift(walk.before).first
        return unless walk.cursor.nil? || (last && RankingOrder::BY_SCORE.compare(last, walk.key).zero?)

        shown_stretch(walk, stretch_of(walk, candidates, keys), recalled.result.documents, total)
      end

      def stretch_of(walk, candidates, keys)
        request = walk.request
        recalled = candidates.latest
        Ranking.new(
          order: RankingOrder::BY_SCORE,
          keys:,
          scores: Ranking.fused_scores(recalled),
          query_vector: recalled.result.query_vector,
          fingerprint: walk.fingerprint,
          cut: candidates.cut?,
          warnings: [*candidates.warnings, *of_filters(request, recalled)].uniq,
          marked: request.retrieval.highlight ? recalled.result.keywords : []
        )
      end

      # Return the page of consecutive places; nil if one of their documents has been removed meanwhile.
      def shown_stretch(walk, ranking, documents, total)
        shown = hits(walk.request, ranking).of(ranking.keys, documents)
        return if shown.size < ranking.keys.size

        shown(walk, ranking, Stretch.new(ranking.keys, walk.position + shown.size < total), shown, total)
      end

      # Return the next places and their hits: as many hits as a page has, even if documents have been removed since.
      def read(walk, source, ranking)
        reader = hits(walk.request, ranking)
        limit = walk.request.limit
        keys = []
        shown = []
        loop do
          stretch = source.after(keys.last || walk.key, walk.position + keys.size, limit - shown.size)
          keys.concat(stretch.keys)
          shown.concat(reader.of(stretch.keys))
          return [Stretch.new(keys, stretch.follows), shown] if shown.size == limit || !stretch.follows
        end
      end

      def each_of(walk, &)
        request = walk.request
        return if request.blank?

        source = request.retrieval.match_all ? browse(request) : ranking(walk)
        ranking = source.is_a?(Ranking) ? source : Ranking.nothing(request.retrieval)
        key = walk.key
        position = walk.position
        loop do
          stretch = source.after(key, position, [request.limit, AT_ONCE].max)
          hits(request, ranking).of(stretch.keys).each(&)
          break unless stretch.follows

          position += stretch.keys.size
          key = stretch.keys.last || key
        end
        Base::Log.warning(format(AT_CANDIDATES, request.candidates)) if ranking.cut
        nil
      end

      # Return the position of a request, after checking its cursor against the request and the index (CUR-3).
      def walk(request)
        generation = @store.generation
        Walk.of(*standing(request), generation)
      end

      # Return the request, without its model if the walk continues without it, and its cursor, checked against it
      # (CUR-3).
      def standing(request)
        return [request, nil] if request.cursor.nil?

        cursor = @settings.codec.decode(request.cursor)
        lost = !request.partial.nil? && cursor.fingerprint == request.fingerprint(model_failed: true)
        asked = lost || cursor.fingerprint == request.fingerprint
        unless asked && cursor.key.values.size == request.retrieval.order_by.size
          raise InvalidCursorError, CursorCodec::OTHER_REQUEST
        end

        [lost ? request.without_model : request, cursor]
      end

      def ranking(walk)
        cache = @settings.ranking_cache
        return ranked(walk) if cache.nil?

        generations = [walk.first_generation, walk.generation].uniq
        found = cache.fetch(generations.map { |each| cache_key(walk, each) })
        return found if found

        ranked(walk).tap do |ranking|
          cache.keep(cache_key(walk, walk.generation), ranking) if ranking.fingerprint == walk.fingerprint
        end
      end

      # Return everything on which a ranking depends: the index, the request, the generation, and the additional
      # results.
      def cache_key(walk, generation)
        asked = walk.request.retrieval
        shown = [asked.highlight, asked.explain, asked.facet_limit, asked.facets]
        [self, walk.fingerprint, generation, Base::ObjectChecks::Same.new(walk.request.model), shown]
      end

      # Rank all candidates, which may have been fetched.
      def ranked(walk, candidates = nil)
        request = walk.request
        candidates ||= @recall.candidates(request.retrieval, request.vector, fields(request), walk.generation)
        candidates.fetch_all
        recalled = candidates.latest
        block = @ranker.score(request.retrieval, recalled)
        partial = partial(request, block)
        order = RankingOrder.new(request.retrieval.order_by)
        keys = Ranking.ranked_keys(request, order, block, partial)
        keys = Hits.near_enough(@store, request.min_cosine, keys, recalled.result) unless request.min_cosine.nil?
        arranged = request.arrangement&.arrange(@store, request.retrieval, keys, recalled.result.query_vector)
        keys = arranged.keys if arranged
        failed = walk.model_failed? || partial&.status == "failed"
        Ranking.new(
          order:,
          keys:,
          scores: Ranking.ranked_scores(block, partial, arranged),
          query_vector: recalled.result.query_vector,
          fingerprint: request.fingerprint(model_failed: failed),
          cut: candidates.cut?,
          warnings: warnings_of(walk, candidates, block, partial),
          marked: request.retrieval.highlight ? recalled.result.keywords : [],
          arranged:,
          moved: !request.arrangement.nil? && request.arrangement.moves_hits?,
          **beside(request.retrieval, block, counted(request.retrieval, block, keys, arranged), arranged)
        )
      end

      def partial(request, block)
        return if request.partial.nil? || @fuses_scores

        request.partial.rerank_result(request.retrieval.question, block.recalled.result, block.outcome.stage1_scores)
      end

      # Return the counts of facets over the hits.
      def counted(retrieval, block, keys, arranged)
        result = block.recalled.result
        return result.aggs if retrieval.facets.nil? || (arranged.nil? && keys.size == block.outcome.ids.size)

        Retrievers::Facets.counts(retrieval, Hits.fields(@store, keys, result))
      end

      # Return the results that are shown next to the hits.
      def beside(retrieval, block, counts, arranged = nil)
        {
          facets: Retrievers::Facets.facets(retrieval, counts),
          explain: retrieval.explain ? Ranking.explanation(retrieval, block, arranged) : nil,
          parts: retrieval.explain ? Retrievers::Explain.recall_parts(block) : {}
        }
      end

      def warnings_of(walk, candidates, block, partial)
        lost = walk.model_failed? ? [GONE_ON_WITHOUT] : []
        [*candidates.warnings, *lost, *block.outcome.warnings, *partial&.warnings,
         *of_filters(walk.request, block.recalled)].uniq
      end

      # Return the fields of candidates that their ranking needs.
      def fields(request)
        return Retrievers::Recall::RERANK_FIELDS unless @fuses_scores || request.retrieval.fused?

        request.partial.nil? ? [] : FIELDS_OF_MODELS
      end

      # Return the reasons why the filters may have excluded everything, if nothing was found.
      def of_filters(request, recalled)
        recalled.result.total.zero? ? Retrievers::FilterWarnings.warnings(@store, request.retrieval.filters) : []
      end

      def browse(request)
        retrieval = request.retrieval
        candidates = @recall.candidates(retrieval, nil, [])
        Browse.new(request, ->(first, size) { @ranker.score(retrieval, candidates.block(first, size), first) })
      end

      # Return a page of all documents.
      def listed(walk)
        request = walk.request
        browse = browse(request)
        stretch, shown = read(walk, browse, Ranking.nothing(request.retrieval))
        block = browse.latest
        ranking = Ranking.new(
          order: browse.order,
          keys: [],
          scores: RankedScores.new,
          fingerprint: browse.fingerprint,
          warnings: [*block.outcome.warnings, *of_filters(request, block.recalled)].uniq,
          **beside(request.retrieval, block, block.recalled.result.aggs)
        )
        shown(walk, ranking, stretch, shown, browse.total)
      end

      def hits(request, ranking) = Hits.new(@store, request, ranking)

      # Return the page of places and their hits (CUR-4).
      def shown(walk, ranking, stretch, shown, total = ranking.total)
        request = walk.request
        Page.new(
          hits: shown,
          total:,
          total_is_lower_bound: ranking.cut,
          page: walk.cursor.nil? ? request.page : (walk.position / request.limit) + 1,
          limit: request.limit,
          next_cursor: stretch.follows ? following(walk, ranking, stretch) : nil,
          index_changed: walk.first_generation != walk.generation,
          warnings: [*request.rewritten.warnings, *ranking.warnings],
          facets: ranking.facets,
          explain: ranking.explained(request.rewritten.explained, shown)
        )
      end

      def following(walk, ranking, stretch)
        position = walk.position + stretch.keys.size
        carried = walk.request.rewritten.carried
        cursor = Cursor.new(stretch.keys.last, position, ranking.fingerprint, walk.first_generation, carried)
        @settings.codec.encode(cursor)
      end
    end
  end
end
