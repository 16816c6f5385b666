# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The documents of a store after one batch; immutable. All readers see this state until the next one is published
      # (DOC-1 … DOC-4).
      #
      # A snapshot needs no lock, since {#changed} leaves it unchanged. Changes must be sequential, each one from the
      # latest published snapshot. An abandoned change is never visible.
      class StoreSnapshot
        include Base::ShortInspect

        DEPTH = Fusions::FusedLegs::DEPTH
        private_constant :DEPTH

        # @return [Integer] the number of batches that have changed something
        attr_reader :generation

        # @return [Hash{String=>VectorSource}] the stored sources of vector fields
        attr_reader :sources

        # @param documents [DocumentIndex] the documents and their indexes
        # @param generation [Integer] the number of batches that have changed something
        # @param sources [Hash{String=>VectorSource}] the stored sources of vector fields
        # @param vectors [Hash{String=>Integer}] vector field → the number of documents that have it
        # @param counted [Proc, nil] returns the numbers of `vectors` on which a search may rely (FUS-5), if it needs
        #   them
        # @param facts [Proc, nil] returns the facts about each vector field, if a search is to return them (DOC-11)
        def initialize(documents, generation = 0, sources = {}, vectors = {}, counted: nil, facts: nil)
          @documents = documents
          @generation = generation
          @sources = sources.freeze
          @vectors = vectors.freeze
          @counted = counted
          @facts = facts
          freeze
        end

        # @return [Integer] the number of documents
        def count
          @documents.count
        end

        # @param identifier [String]
        # @return [Boolean] whether a document is stored
        def holds?(identifier)
          !@documents.fields(identifier).nil?
        end

        # @param identifier [String]
        # @return [Documents::StoredDocument, nil] the document
        def stored(identifier)
          @documents.stored(identifier)
        end

        # @param identifier [String]
        # @return [Hash{String=>Object}, nil] the fields of a document
        def get(identifier)
          document = @documents.stored(identifier)
          return nil unless document

          document.fields.merge(document.vectors)
        end

        # @return [Array<Hash{String=>Object}, nil>] documents, see {DocStoreAdapter#get_many}
        def get_many(identifiers, vector_fields)
          names = identifiers.uniq
          @documents.expect(names, vector_fields)
          held = names.select { |identifier| holds?(identifier) }
          found = held.to_h { |one| [one, vector_fields.nil? ? get(one) : with_vectors(one, vector_fields)] }
          identifiers.map { |identifier| found[identifier] }
        end

        # @param removed [Array<String>] the ids of removed documents
        # @param added [Array<Documents::StoredDocument>] new documents, whose ids no other document has
        # @return [StoreSnapshot] the snapshot after a batch
        def changed(removed, added)
          vectors = @vectors.dup
          removed.each { |identifier| stored(identifier)&.vectors&.each_key { |field| vectors[field] -= 1 } }
          added.each do |document|
            document.vectors.each_key { |field| vectors[field] = vectors.fetch(field, 0) + 1 }
          end
          StoreSnapshot.new(@documents.changed(removed, added), @generation + 1, @sources, vectors)
        end

        # @param field [String]
        # @param source [VectorSource]
        # @return [StoreSnapshot] the snapshot with another source of a vector field; documents and generation stay the
        #   same
        def with_source(field, source)
          StoreSnapshot.new(@documents, @generation, { **@sources, field => source }, @vectors)
        end

        # @param field [String]
        # @return [Boolean] whether a document has a vector in a field
        def holds_vectors?(field)
          @vectors.fetch(field, 0).positive?
        end

        # @return [Hash{String=>Hash{String=>Object}}] the facts about each vector field in the form of
        #   {DocStoreAdapter#vector_fields}
        def vector_fields
          VectorModels.described(@vectors, @sources, count)
        end

        # @return [Hash{String=>Object}] the counts of the content as plain data
        def stats
          told = StoreStats.of_documents(@documents.entries, @sources)
          { "documents" => count, **told, "generation" => @generation }
        end

        # @param wanted [StoreSearch]
        # @return [AdapterKit::SearchResult] the result of a search
        def search(wanted)
          return listed(wanted) if wanted.listing?

          first(wanted) || whole(wanted)
        end

        # @param parsed [Queries::MatchExprs]
        # @param filters [Filters]
        # @return [Array<Array(String, Float)>] the ranking of match expressions; without any, all documents by id
        def rank(parsed, filters)
          fused_ranking(parsed, filters, text_leg(parsed, filters), dense_leg(parsed.dense, filters))[0]
        end

        private

        # Return ids from the first hundred of each leg, or nil if these are not enough (FUS-5).
        #
        # Later documents are not ranked. The text leg is counted. The dense leg is not counted: at least the maximum
        # number of documents have a vector and pass.
        def first(wanted)
          return unless first?(wanted)

          dense = wanted.match.dense
          fusion = wanted.match.fusion
          head = text_head(wanted)
          nearest = dense_leg(dense && Queries::MatchExprs::DenseQuery.new(dense.field, dense.vector, DEPTH, nil),
                              wanted.filters)
          fused = legs_of(fusion, head.ranking, nearest)
          ahead = Base::Slices.head(fused.ranking(head.ranking, nearest), fusion.topn)
          is_whole = dense.nil? && head.total == head.ranking.size
          return if ahead.empty? || ahead.last[1].negative?
          return unless is_whole || wanted.offset + wanted.limit <= ahead.size

          found = found(wanted, dense ? fusion.topn : [head.total, fusion.topn].min,
                        Base::Slices.part(ahead, wanted.offset, wanted.limit))
          ids = found[:ids]
          AdapterKit::SearchResult.new(
            **found,
            documents: wanted.documents ? whole_documents(ids) : nil,
            query_vector: dense&.vector,
            dense_scores: dense && DenseScores.new(dense.vector, cosines(dense, nearest, ids)),
            fused:,
            text_scores: head.scores(ids)
          )
        end

        # Return the cosines of the nearest documents, and of those that are shown and have a vector.
        def cosines(query, nearest, shown)
          cosines = nearest.to_h
          others = shown.reject { |identifier| cosines.key?(identifier) }
          return cosines.freeze if others.empty?

          @documents.expect(others, [query.field])
          norm = Base::Numeric.norm(query.vector)
          others.each do |identifier|
            vector = @documents.vector(identifier, query.field) or next
            cosines[identifier] = Base::Numeric.cosine_of(vector, Base::Numeric.norm(vector), query.vector, norm)
          end
          cosines.freeze
        end

        # Return whether only the first documents of the legs can be shown.
        def first?(wanted)
          match = wanted.match
          return false unless match.fusion && fuses_first?(match) && wanted.shows_ids_alone? && wanted.features.nil?
          return false unless wanted.order.empty? && wanted.agg_fields.empty?
          return false if wanted.offset + wanted.limit > [DEPTH, match.fusion.topn].min

          match.dense.nil? || enough?(match.dense, match.fusion.topn, wanted.filters)
        end

        # Return whether both legs are fused by their scores, none of which is negative.
        def fuses_first?(match)
          return false if match.text.is_a?(Queries::MatchExprs::TextQuery)

          !Fusions::FusionMethods::METHODS.fetch(match.fusion.method).legs.nil?
        end

        # Return whether a dense leg finds as many documents as are ranked.
        def enough?(dense, limit, filters)
          return false if dense.similarity || dense.topn < [DEPTH, limit].max

          counts = @counted ? @counted.call : @vectors
          counts.fetch(dense.field, 0) >= limit && @documents.passes_all?(filters)
        end

        def text_head(wanted)
          text = wanted.match.text
          text ? @documents.bm25f_head(text, wanted.filters) : LegHead.of([])
        end

        # Return the result from the whole legs.
        def whole(wanted)
          parsed = wanted.match
          depth = wanted.offset + wanted.limit if wanted.order.empty? && wanted.agg_fields.empty?
          dense = dense_leg(parsed.dense, wanted.filters)
          featured = featured(wanted)
          text = featured ? featured.ranking : text_leg(parsed, wanted.filters)
          weighted = featured&.weighted(parsed.fusion, dense)
          total, ranking, fused =
            weighted ? [weighted.size, weighted, nil] : fused(parsed, wanted.filters, text, dense, depth)
          ranking = wanted.order.arrange(ranking) { |path| @documents.values(path, ranking.map(&:first)) }
          cosines = dense.to_h.freeze
          found = found(wanted, total, Base::Slices.part(ranking, wanted.offset, wanted.limit))
          reads = wanted.documents && (parsed.dense.nil? || found[:ids].all? { |one| cosines.key?(one) })
          AdapterKit::SearchResult.new(
            **found,
            documents: reads ? whole_documents(found[:ids]) : nil,
            query_vector: parsed.dense&.vector,
            aggs: aggregations(ranking, wanted.agg_fields),
            dense_scores: parsed.dense && DenseScores.new(parsed.dense.vector, cosines),
            fused:,
            text_scores: featured ? featured.scores : text.to_h,
            features: featured ? featured.features : {}
          )
        end

        # Return the result of a search without match expressions, reading only the documents that are shown.
        def listed(wanted)
          listed = @documents.listing(wanted.filters, wanted.order, wanted.offset, wanted.limit)
          page = listed.identifiers.map { |identifier| [identifier, 0.0] }
          AdapterKit::SearchResult.new(**shown(wanted, listed.total, page))
        end

        # Return the parts of {#shown}, and the facts about the state that a page needs (DOC-11).
        def found(wanted, total, page)
          { **shown(wanted, total, page), generation: @generation, vector_fields: @facts&.call }
        end

        # Return the parts of a result about the shown documents, and the number of found ones.
        def shown(wanted, total, page)
          ids = page.map(&:first)
          if wanted.shows_ids_alone?
            return { total:, ids:, fields: ids.to_h { |one| [one, {}] }, scores: page.to_h, keywords: wanted.keywords }
          end

          @documents.expect(ids, wanted.selected)
          {
            total:,
            ids:,
            fields: ids.to_h { |identifier| [identifier, select(identifier, wanted.selected)] },
            scores: page.to_h,
            highlight: highlights(ids, wanted.highlight_fields, Queries::Highlight.new(wanted.keywords)),
            keywords: wanted.keywords,
            prepared: @documents.prepared(ids)
          }
        end

        # Return id → document without vectors, of shown documents.
        def whole_documents(ids)
          ids.zip(get_many(ids, [])).to_h
        end

        def dense_leg(query, filters)
          query ? @documents.dense_leg(query, filters) : []
        end

        # Return the number of found documents, their ranking, and the share of each leg if the fusion reports it.
        #
        # If only the first documents of the legs are shown (`depth`, nil for all), the others are counted but not fused
        # (FUS-5).
        def fused(parsed, filters, text, dense, depth)
          fused = depth && parsed.fusion && legs_of(parsed.fusion, text, dense)
          if fused
            first = [text, dense].map { |leg| leg.first(DEPTH) }
            ahead = Base::Slices.head(fused.ranking(*first), parsed.fusion.topn)
            if !ahead.empty? && depth <= ahead.size && ahead.last[1] >= 0.0
              return [[(text.to_h.keys | dense.to_h.keys).size, parsed.fusion.topn].min, ahead, fused]
            end
          end
          ranking, legs = fused_ranking(parsed, filters, text, dense)
          [ranking.size, ranking, legs]
        end

        # Return the ranking for given legs, and the share of each leg if the fusion reports it.
        def fused_ranking(parsed, filters, text, dense)
          return fused_legs(parsed.fusion, text, dense) if parsed.fusion
          return [text, nil] if parsed.text
          return [dense, nil] if parsed.dense

          [@documents.passing(filters).sort.map { |identifier| [identifier, 0.0] }, nil]
        end

        def fused_legs(fusion, text, dense)
          legs = legs_of(fusion, text, dense)
          return [Fusion.fuse(fusion, [text, dense], normalizer: %w[min_max none]), nil] unless legs

          [Base::Slices.head(legs.ranking(text, dense), fusion.topn), legs]
        end

        # Return the share of each leg, or nil if the fusion does not report it.
        def legs_of(fusion, text, dense)
          Fusions::FusionMethods::METHODS.fetch(fusion.method).legs&.call(text, dense)
        end

        # Return the text leg in which features count, or nil if they do not (RNK-10).
        def featured(wanted)
          query = wanted.match.text
          return nil unless wanted.features && query

          matching = leg_of(query.with_topn(count), wanted.filters)
          wanted.features.leg(matching, query.topn) { |path, ids| @documents.values(path, ids) }
        end

        def text_leg(parsed, filters)
          parsed.text ? leg_of(parsed.text, filters) : []
        end

        def leg_of(query, filters)
          return @documents.bm25f_leg(query, filters) if query.is_a?(Queries::MatchExprs::Bm25fQuery)

          @documents.text_leg(query, filters)
        end

        # Return the fields of a document, with the given vector fields only.
        def with_vectors(identifier, vector_fields)
          vectors = vector_fields.to_h { |field| [field, @documents.vector(identifier, field)] }
          @documents.fields(identifier).merge(vectors.compact)
        end

        def select(identifier, selected)
          return get(identifier) unless selected

          fields = @documents.fields(identifier)
          selected.each_with_object({}) do |name, found|
            value = fields[name]
            value = @documents.vector(identifier, name) if value.nil? && name.end_with?("_vec")
            found[name] = value unless value.nil?
          end
        end

        def aggregations(ranking, fields)
          fields.to_h do |field|
            values = @documents.values(Documents::FieldPath.of(field), ranking.map(&:first))
            [field, Queries::Aggregations.count(values)]
          end
        end

        def highlights(ids, fields, highlight)
          return {} if fields.empty?

          ids.each_with_object({}) do |identifier, marked|
            stored = @documents.fields(identifier)
            fields.each do |field|
              value = stored[field]
              text = value.is_a?(::String) ? highlight.mark(value) : nil
              next unless text

              marked[identifier] = text
              break
            end
          end
        end
      end
    end
  end
end
