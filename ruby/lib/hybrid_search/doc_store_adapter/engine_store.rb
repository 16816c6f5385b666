# frozen_string_literal: true

module HybridSearch
  module Stores
    # The first documents of both legs, and the number of all documents that either leg finds (DOC-11).
    class EngineHead
      include Base::ShortInspect

      # @return [Array<Array(String, Float)>] the first documents of the text leg with their scores, in the order of
      #   ORD-1; empty without a text leg
      attr_reader :text
      # @return [Array<Array(String, Float)>] the first documents of the dense leg with their cosines, in the same order
      attr_reader :dense
      # @return [Integer] the number of documents that match the text or have a vector, and pass the filters; at most a
      #   limit
      attr_reader :total
      # @return [String, nil] the generation of the store, if the engine reads it at the same time; the documents are
      #   not older
      attr_reader :generation

      def initialize(text, dense, total, generation = nil)
        @text = text
        @dense = dense
        @total = total
        @generation = generation
        freeze
      end
    end

    # Both legs.
    class EngineLegs
      include Base::ShortInspect

      # @return [Array<Array(String, Float)>] the ids and scores of the text leg
      attr_reader :text
      # @return [Array<Array(String, Float)>] the ids and cosines of the dense leg
      attr_reader :dense
      # @return [String, nil] as in {EngineHead}
      attr_reader :generation

      def initialize(text, dense, generation = nil)
        @text = text
        @dense = dense
        @generation = generation
        freeze
      end
    end

    # The candidates of a search in their order, from the first on.
    class EngineCandidates
      include Base::ShortInspect

      # @return [Integer] the number of candidates, including those that were not read
      attr_reader :total
      # @return [Array<Array(String, Float)>] their ids and scores
      attr_reader :ranking
      # @return [Fusions::FusedLegs, nil] the share of each leg, if the fusion reports it
      attr_reader :fused
      # @return [Hash{String=>Float}] id → score in the text leg
      attr_reader :text
      # @return [Hash{String=>Float}] id → the score that features add to it
      attr_reader :features
      # @return [Hash{String=>Array}] field → its values with their counts
      attr_reader :aggs
      # @return [String, nil] the generation of the store, if the engine has read it at the same time
      attr_reader :generation

      def initialize(total, ranking, fused: nil, text: {}, features: {}, aggs: {}, generation: nil)
        @total = total
        @ranking = ranking
        @fused = fused
        @text = text
        @features = features
        @aggs = aggs
        @generation = generation
        freeze
      end
    end

    # A store whose engine finds and scores the candidates of each leg (DOC-11).
    #
    # This class fuses them and reads only the documents that are returned. If the fusion compares the first hundred of
    # the first hundred of each leg, and the page is among them, only these documents are requested. The engine has its
    # own scores: a leg finds the documents of DOC-3 and DOC-9, but may order them in another way than a
    # {MemoryDocStore}.
    #
    # A subclass has the methods that write, and `engine`, an object with these methods; its errors are a
    # {DocStoreError}:
    #
    # - `head(match, filters, depth, most)` → {EngineHead}: the first `depth` documents of each leg, and the number of
    #   all, counted up to `most`. `match` has at least one leg. Its dense leg, if any, has no minimum similarity.
    # - `legs(match, filters, features = [])` → {EngineLegs}: both whole legs, each up to its `topn`, in the order
    #   of ORD-1. If features count in the text leg (RNK-10), that leg has all documents with one of them, and the best
    #   of the others.
    # - `page(filters, offset, limit)` → the number of documents that pass filters, and the ids of a page of them,
    #   ascending.
    # - `listed(filters)` → the ids of all documents that pass filters, ascending.
    # - `read(identifiers, vectors = nil)` → id → {Documents::StoredDocument}, of those that are stored; `vectors` are
    #   the vector fields that are needed, nil for all.
    #
    # @abstract
    class EngineStore < CheckedStore
      # The maximum number of times that documents are fetched if some were removed after the search had found them.
      MOST_ATTEMPTS = 3
      DEPTH = Fusions::FusedLegs::DEPTH
      private_constant :MOST_ATTEMPTS, :DEPTH

      # Return true: the engine scores the tokens in its own way.
      #
      # @see DocStoreAdapter#supports_bm25f?
      def supports_bm25f?
        true
      end

      # @see DocStoreAdapter#get
      def get(identifier)
        get_many([Base::Validation.text("identifier", identifier)])[0]
      end

      # Read all documents at once.
      #
      # @see DocStoreAdapter#get_many
      def get_many(identifiers, vector_fields = nil)
        names = Base::Validation.texts("identifiers", identifiers)
        fields = vector_fields.nil? ? nil : Base::Validation.texts("vector_fields", vector_fields)
        wanted = possible(names)
        found = wanted.empty? ? {} : engine.read(wanted, fields)
        names.map do |identifier|
          document = found[identifier]
          document&.fields&.merge(document.vectors)
        end
      end

      private

      # Return the ids that the engine can contain, each once; a subclass may exclude some.
      def possible(identifiers)
        identifiers.uniq
      end

      def find(wanted)
        if wanted.listing? && wanted.order.empty?
          return result(wanted, EngineCandidates.new(0, [])) { |gone| listing(wanted, gone) }
        end

        found = head(wanted) || arranged(wanted, whole(wanted))
        result(wanted, found) { |gone| cut(wanted, found, gone) }
      end

      def ranking(match, filters)
        return engine.listed(filters).map { |identifier| [identifier, 0.0] } if match.empty?

        fused(match, legs(match, filters)).ranking
      end

      # Return both legs; the first hundred of the dense leg are those that {#head} finds.
      #
      # An engine may find other neighbours if it looks for more of them. So no document moves between two pages.
      def legs(match, filters)
        legs = engine.legs(match, filters)
        return legs if legs.dense.size <= DEPTH || !head_of?(match)

        head = engine.head(match, filters, DEPTH, DEPTH).dense
        ahead = head.to_h
        dense = head + legs.dense.reject { |identifier, _| ahead.key?(identifier) }
        EngineLegs.new(legs.text, Base::Slices.head(dense, legs.dense.size), legs.generation)
      end

      # Return the number of documents, and a page of them without the removed ones.
      def listing(wanted, gone)
        total, identifiers = engine.page(wanted.filters, wanted.offset, wanted.limit + gone.size)
        left = Base::Slices.part(identifiers - gone, 0, wanted.limit)
        [total - gone.size, left.map { |identifier| [identifier, 0.0] }]
      end

      # Return the candidates from the first hundred of each leg, or nil if these are not enough (FUS-5).
      def head(wanted)
        depth = wanted.offset + wanted.limit
        return if depth > DEPTH || wanted.features || !wanted.order.empty? || wanted.agg_fields.any?
        return unless head_of?(wanted.match)

        head = engine.head(wanted.match, wanted.filters, DEPTH, wanted.match.fusion.topn)
        found = fused(wanted.match, head)
        return if depth > found.total && head.total > found.total

        total = [head.total, found.total].max
        EngineCandidates.new(total, found.ranking, fused: found.fused, text: found.text, generation: head.generation)
      end

      # Return whether the first hundred of each leg determine the first documents of the fusion (FUS-5).
      def head_of?(match)
        return false if match.fusion.nil? || Fusions::FusionMethods::METHODS.fetch(match.fusion.method).legs.nil?

        [match.fusion, match.text, match.dense].compact.map(&:topn).min >= DEPTH && match.dense&.similarity.nil?
      end

      # Return all candidates.
      def whole(wanted)
        match = wanted.match
        filters = wanted.filters
        if match.empty?
          listed = ranking(match, filters)
          return EngineCandidates.new(listed.size, listed)
        end
        return fused(match, legs(match, filters)) unless wanted.features && match.text

        featured(wanted, engine.legs(match, filters, wanted.features.paths))
      end

      def featured(wanted, legs)
        match = wanted.match
        fields = fields(legs.text.map(&:first))
        leg = wanted.features.leg(legs.text, match.text.topn) do |path, ids|
          ids.map { |id| path.value(fields.fetch(id, {})) }
        end
        weighted = leg.weighted(match.fusion, legs.dense)
        ranked = EngineLegs.new(leg.ranking, legs.dense)
        found = weighted ? EngineCandidates.new(weighted.size, weighted) : fused(match, ranked)
        EngineCandidates.new(found.total, found.ranking, fused: found.fused, text: leg.scores, features: leg.features,
                                                         generation: legs.generation)
      end

      def fused(match, legs)
        text = legs.text
        dense = legs.dense
        fused = match.fusion && legs_of(match.fusion, text, dense)
        ranking =
          if fused
            Base::Slices.head(fused.ranking(text, dense), match.fusion.topn)
          elsif match.fusion
            Fusion.fuse(match.fusion, [text, dense], normalizer: %w[min_max none])
          else
            match.text ? text : dense
          end
        EngineCandidates.new(ranking.size, ranking, fused:, text: text.to_h, generation: legs.generation)
      end

      def legs_of(fusion, text, dense)
        Fusions::FusionMethods::METHODS.fetch(fusion.method).legs&.call(text, dense)
      end

      # Return candidates in the requested order, with the counts of values; both read all candidates.
      def arranged(wanted, found)
        return found if wanted.order.empty? && wanted.agg_fields.empty?

        fields = fields(found.ranking.map(&:first))
        there = found.ranking.select { |identifier, _| fields.key?(identifier) }
        ordered = wanted.order.arrange(there) { |path| there.map { |identifier, _| path.value(fields[identifier]) } }
        aggs = wanted.agg_fields.to_h do |field|
          path = Documents::FieldPath.of(field)
          [field, Queries::Aggregations.count(ordered.map { |identifier, _| path.value(fields[identifier]) })]
        end
        EngineCandidates.new(ordered.size, ordered, fused: found.fused, text: found.text, features: found.features,
                                                    aggs:, generation: found.generation)
      end

      # Return the number of candidates, and a page of them, both without the removed documents.
      def cut(wanted, found, gone)
        left = gone.empty? ? found.ranking : found.ranking.reject { |pair| gone.include?(pair[0]) }
        [found.total - (found.ranking.size - left.size), Base::Slices.part(left, wanted.offset, wanted.limit)]
      end

      # Return the result of a search; if found documents were removed meanwhile, the next ones replace them. The block
      # returns the number of found documents and a page of them, without the given removed ones.
      def result(wanted, found, &)
        total, page, documents = wanted.shows_ids_alone? ? [*yield([]), {}] : documents(wanted, &)
        AdapterKit::SearchResult.new(
          total:,
          ids: page.map(&:first),
          fields: page.to_h { |identifier, _| [identifier, select(documents[identifier], wanted.selected)] },
          scores: page.to_h,
          query_vector: wanted.match.dense&.vector,
          highlight: highlights(documents, wanted.highlight_fields, Queries::Highlight.new(wanted.keywords)),
          aggs: found.aggs,
          keywords: wanted.keywords,
          fused: found.fused,
          text_scores: found.text,
          features: found.features,
          generation: found.generation
        )
      end

      # Return the number of found documents, a page of them, and id → document.
      def documents(wanted)
        gone = []
        total = page = stored = nil
        needed = wanted.selected && (wanted.selected | wanted.highlight_fields)
        MOST_ATTEMPTS.times do
          total, page = yield gone
          stored = page.empty? ? {} : read(page.map(&:first), needed)
          missing = page.map(&:first).reject { |identifier| stored.key?(identifier) }
          break if missing.empty?

          gone.concat(missing)
        end
        page = page.select { |identifier, _| stored.key?(identifier) }
        [total, page, page.to_h { |identifier, _| [identifier, stored[identifier]] }]
      end

      # Return those of the documents that are stored, without vectors that are not needed; a subclass may omit more.
      def read(identifiers, needed)
        engine.read(identifiers, needed&.select { |name| name.end_with?("_vec") })
      end

      def fields(identifiers)
        found = identifiers.empty? ? {} : engine.read(identifiers, [])
        found.transform_values(&:fields)
      end

      def select(document, selected)
        return {} unless document

        everything = document.fields.merge(document.vectors)
        selected ? everything.slice(*selected) : everything
      end

      def highlights(documents, fields, highlight)
        return {} if fields.empty?

        documents.each_with_object({}) do |(identifier, document), marked|
          values = fields.map { |field| document.fields[field] }.grep(::String)
          found = values.lazy.filter_map { |value| highlight.mark(value) }.first
          marked[identifier] = found if found
        end
      end
    end
  end
end
