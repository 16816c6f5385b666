# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Reads an index: legs of searches, listings and documents (OS-2).
      class OpenSearchReader
        include Base::ShortInspect

        # A document of the index, and its version.
        class StoredVersion
          include Base::ShortInspect

          # @return [Documents::StoredDocument] the document
          attr_reader :document

          # @return [Array(Integer, Integer)] the number of the operation that wrote the document, and the term of the
          #   primary that carried it out
          attr_reader :sequence

          # @param document [Documents::StoredDocument] the document
          # @param sequence [Array(Integer, Integer)] the number of the operation that wrote the document, and the term
          #   of the primary that carried it out
          def initialize(document, sequence)
            @document = document
            @sequence = sequence
            freeze
          end
        end

        # A leg: its query, a query for its documents without scores and filters, its limit, the factor of its scores,
        # and the minimum cosine. With the factor 0.0, scores represent cosines.
        Leg = Struct.new(:query, :found, :topn, :scale, :similarity)
        private_constant :Leg

        # The maximum number of documents in one response of the engine; longer results are read in several steps.
        DEEPEST = 10_000
        MOST = (1 << 63) - 1
        BATCH = 1_000
        OWN_FIELDS = [TextQueries::BAG, OpenSearchRanked::RANKED].freeze # some indexes of this library lack them
        KEEP_ALIVE = "2m"
        REFUSED = "returned status 400"
        NO_BAGS = "an index that RAGFlow made answers no MatchBm25fExpr: take a MatchTextExpr"
        BY_SCORE = { "_score" => { "order" => "desc" } }.freeze

        # @return [OpenSearchGenerations] reads the generation of the index
        attr_reader :generations

        # @return [OpenSearchRanked] reads the parts of documents that a rerank needs
        attr_reader :ranked

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the index or of its alias
        # @param layout [OwnLayout, RagflowLayout] the layout of the index's documents
        # @param exact [Boolean] whether dense legs compare all vectors
        # @param existing [#call] returns the description of the index
        # @yieldreturn [Integer] the maximum number of clauses of a query
        def initialize(client, index, layout, exact, existing, &most_clauses)
          @client = client
          @index = index
          @layout = layout
          @most_clauses = most_clauses
          @dense_queries = DenseQueries.new(exact, client.engine)
          @filters = OpenSearchFilters.new(layout.leaves)
          @known = nil
          @enough = {}
          @checkpoints = OpenSearchCheckpoints.new(client, index)
          @generations = OpenSearchGenerations.new(client, index, existing)
          @ranked = OpenSearchRanked.new(client, index, DEEPEST) { |name| known?(name) }
        end

        # Return the first documents of both legs and the number of all, from one request; see {EngineStore}.
        #
        # @param match [Queries::MatchExprs]
        # @param filters [AdapterKit::Filters]
        # @param depth [Integer]
        # @param most [Integer]
        # @return [EngineHead]
        def head(match, filters, depth, most)
          renewed(match) { read_head(match, filters, depth, most) }
        end

        # Return both legs, from one request unless they are very long; see {EngineStore}.
        #
        # @param match [Queries::MatchExprs]
        # @param filters [AdapterKit::Filters]
        # @param features [Array<String>] the names of the features that count in the text leg
        # @return [EngineLegs]
        def legs(match, filters, features = [])
          renewed(match) { read_legs(match, filters, features) }
        end

        # @param filters [AdapterKit::Filters]
        # @return [Array<String>] the ids of all documents that pass filters, ascending
        def listed(filters)
          found = []
          body = { "query" => @filters.query(filters.conditions), "sort" => @layout.order }
          walk(body) { |hit| found << @layout.identifier(hit) }
          found.sort
        end

        # Return the ids and the stored sources of all documents that a query finds, from one state of the index.
        #
        # @param query [Hash]
        # @yieldparam identifier [String]
        # @yieldparam source [Hash]
        # @return [void]
        def sources(query)
          body = { "query" => query, "sort" => @layout.order, "size" => BATCH, "_source" => true,
                   "stored_fields" => ["_id"] }
          walk(body) { |hit| yield @layout.identifier(hit), hit["_source"] }
        end

        # @param filters [AdapterKit::Filters]
        # @param offset [Integer]
        # @param limit [Integer]
        # @return [Array(Integer, Array<String>)] the number of documents that pass filters, and the ids of a page of
        #   them, ascending
        def page(filters, offset, limit)
          if offset + limit > DEEPEST
            found = listed(filters)
            return [found.size, Base::Slices.part(found, offset, limit)]
          end
          body = { **wanted(@filters.query(filters.conditions), limit), "from" => offset, "sort" => @layout.order,
                                                                        "track_total_hits" => true }
          answer = @client.search([search(body)])[0]
          [answer["hits"]["total"]["value"], answer["hits"]["hits"].map { |hit| @layout.identifier(hit) }]
        end

        # @return [Integer] the number of documents that searches can find
        def count
          @client.search([search({ "size" => 0, "track_total_hits" => true })])[0]["hits"]["total"]["value"]
        end

        # Return those of the documents that are stored, even if searches cannot find them yet; see {EngineStore}.
        #
        # @param identifiers [Array<String>]
        # @param vectors [Array<String>, nil]
        # @return [Hash{String=>Documents::StoredDocument}]
        def read(identifiers, vectors = nil)
          documents(identifiers, vectors).transform_values(&:document)
        end

        # Return those of the documents that are stored, even if searches cannot find them yet.
        #
        # @param identifiers [Array<String>] the ids
        # @param vectors [Array<String>, nil] the vector fields to return; nil returns all
        # @return [Hash{String=>StoredVersion}]
        def documents(identifiers, vectors = nil)
          stored(identifiers, true).to_h do |hit|
            document = @layout.document(hit["_id"], hit["_source"], vectors)
            [hit["_id"], StoredVersion.new(document, hit.values_at("_seq_no", "_primary_term"))]
          end
        end

        # @param identifiers [Array<String>]
        # @return [Hash{String=>Array(Integer, Integer)}] the versions of those ids that are stored
        #   ({StoredVersion#sequence})
        def versions(identifiers)
          stored(identifiers, false).to_h { |hit| [hit["_id"], hit.values_at("_seq_no", "_primary_term")] }
        end

        # Return the ids whose state, as one copy of the index showed it, the cluster may still lose (OS-3).
        #
        # @param seen [Hash{String=>Array(Integer, Integer), nil}] id → the version that was read, or nil if the
        #   document was missing
        # @return [Array<String>]
        def unsure(seen)
          return [] if seen.empty?

          reached = @checkpoints.reached
          now = versions(seen.keys) # read again: a state that is unchanged and reached is on all copies
          unsure = seen.reject do |one, version|
            now[one] == version && (version ? version[0] : Float::INFINITY) <= reached
          end
          unsure.keys
        end

        # @param stored [StoredVersion]
        # @param part [String] a shard of the index
        # @return [Boolean] whether another primary has replaced the one that stored the document there
        def outlived?(stored, part)
          stored.sequence[1] < @checkpoints.terms.fetch(part, Float::INFINITY)
        end

        # @return [Array<String>] the names of the vector fields of the index
        def vector_fields
          (@known = mapped) - OWN_FIELDS
        end

        private

        # Return the value of the block; repeat it if the index was removed and created again since its vectors were
        # read.
        def renewed(match)
          yield
        rescue DocStoreError => e
          raise if match.dense.nil? || !e.message.include?(REFUSED) || !another_index?

          yield
        end

        def read_head(match, filters, depth, most)
          query = @filters.query(filters.conditions)
          legs = [text(match.text, query), dense(match.dense&.with_topn(depth), query)]
          return EngineHead.new([], [], 0) if legs.none?

          asked = legs.compact.map { |leg| search(body(leg, depth)) }
          count = OpenSearchCount.new(@client, @index, @enough, most, legs.compact.map(&:found), legs[1]&.found, query)
          answers, generation = @generations.along { |expected| asked + count.searches(expected) }
          text, dense = legs.map do |leg|
            leg ? Base::Slices.head(ranking(leg, answers.shift["hits"]["hits"]), depth) : []
          end
          total = count.total(answers, @generations.latest?(generation) ? generation : nil)
          EngineHead.new(text, dense, total, generation)
        end

        def read_legs(match, filters, features)
          query = @filters.query(filters.conditions)
          return featured_legs(match, query, features) unless features.empty?

          EngineLegs.new(*rankings([text(match.text, query), dense(match.dense, query)]))
        end

        # Return the rankings of a text leg in which features count, and of the dense leg. The text leg consists of all
        # documents with a feature, and the best of the others.
        def featured_legs(match, query, features)
          having = having(features)
          found, best, dense, generation = rankings(
            [text(match.text.with_topn(MOST), { "bool" => { "filter" => [query, having] } }),
             text(match.text, { "bool" => { "filter" => [query], "must_not" => [having] } }),
             dense(match.dense, query)]
          )
          EngineLegs.new(Base::Ordering.rank(found + best), dense, generation)
        end

        # Return a query for the documents that have a feature; an engine does not find those that have a tag of
        # RAGFlow's type.
        def having(features)
          return OpenSearchFilters::EVERYTHING if @layout.read_only

          any = features.map { |name| { name => { "exists" => true } } }
          @filters.query(AdapterKit::Filters.new({ "any" => any }).conditions)
        end

        # Return the rankings of legs, and after them the generation, if it can be read at the same time.
        def rankings(legs)
          near = legs.compact.select { |leg| leg.topn <= DEEPEST }
          answers, generation = @generations.along { near.map { |leg| search(body(leg, leg.topn)) } }
          hits = {}.compare_by_identity
          near.zip(answers) { |leg, answer| hits[leg] = answer["hits"]["hits"] }
          [*legs.map { |leg| leg ? Base::Slices.head(ranking(leg, hits[leg] || deep(leg)), leg.topn) : [] }, generation]
        end

        # Return whether a vector field is missing, as in an index that was removed and created again.
        def another_index?
          before = @known || []
          !(before - (@known = mapped)).empty?
        end

        def search(body)
          OpenSearchClient::EngineSearch.new(@index, body)
        end

        def stored(identifiers, whole)
          identifiers.each_slice(BATCH).flat_map { |slice| fetched(slice, whole) }.select { |hit| hit["found"] == true }
        end

        # Return documents whole, or only their versions.
        #
        # For an engine, selecting parts costs several times as much as sending the whole document.
        def fetched(identifiers, whole)
          pausing = @client.pausing
          documents = identifiers.map { |identifier| { "_id" => identifier, "_source" => whole } }
          loop do
            request = OpenSearchClient::Request.new("POST", "#{@index}/_mget", { "docs" => documents })
            hits = @client.ask(request).fetch("docs", [])
            failed = hits.find { |hit| hit.key?("error") }
            return hits if failed.nil? && hits.size == identifiers.size

            @client.check_index(failed["error"], @index.delete_prefix("/")) if failed
            told = failed ? OpenSearchClient.words(failed["error"]) : "#{hits.size} of #{identifiers.size} documents"
            pausing.wait(@client.failure("could not give all documents: #{told}"))
          end
        end

        def text(wanted, filters)
          return nil if wanted.nil? || wanted.topn.zero?

          written = written(wanted)
          return nil unless written

          query = { "bool" => { "must" => [written.query], "filter" => [filters] } }
          Leg.new(query, written.query, wanted.topn, written.scale, nil)
        end

        def written(wanted)
          queries = TextQueries.new(@layout, @most_clauses.call)
          return queries.query(wanted) unless wanted.is_a?(Queries::MatchExprs::Bm25fQuery)
          raise InvalidInputError, NO_BAGS if @layout.read_only

          bag = queries.bag(wanted, known?(TextQueries::BAG))
          bag && ScaledQuery.new(bag, 1.0)
        end

        def dense(wanted, filters)
          return nil if wanted.nil? || wanted.topn.zero?

          field = @layout.vector_name(wanted.field)
          return nil unless known?(field)

          zero = @layout.zero(wanted.field)
          count = wanted.topn <= DEEPEST ? wanted.topn : 0
          there = { "bool" => { "should" => [{ "exists" => { "field" => field } }, zero].compact } }
          query = @dense_queries.query(wanted, field, filters, zero, there, count)
          Leg.new(query, there, wanted.topn, 0.0, wanted.similarity)
        end

        # Return whether the index has a vector field or an own one; an engine refuses vectors for a missing one.
        def known?(name)
          @known = mapped if @known.nil? || !(@known.include?(name) || OWN_FIELDS.include?(name))
          @known.include?(name)
        end

        # Return the names of the vector fields of the index, and of those of its own that some lack.
        def mapped
          answer = @client.ask(OpenSearchClient::Request.new("GET", "#{@index}/_mapping"))
          answer.each_value.flat_map do |index|
            fields = index["mappings"].fetch("properties", {})
            vectors = fields.keys.select { |name| OpenSearchEngine::VECTOR_TYPES.include?(fields[name]["type"]) }
            vectors + fields.keys.intersection(OWN_FIELDS)
          end
        end

        def ranking(leg, hits)
          return ordered(hits) { |score| score * leg.scale } if leg.scale.positive?

          found = ordered(hits) { |score| DenseQueries.cosine(score) }
          return found unless leg.similarity

          found.select { |_, cosine| cosine >= leg.similarity - DenseQueries::CLOSE }
        end

        def ordered(hits)
          Base::Ordering.rank(hits.map { |hit| [@layout.identifier(hit), yield(Float(hit["sort"][0]))] })
        end

        def body(leg, size)
          sort = [BY_SCORE, *@layout.order]
          { **wanted(leg.query, size), "sort" => sort, "track_total_hits" => false }
        end

        # Return a search for ids and scores only.
        def wanted(query, size)
          { **@client.engine.asked(query), "size" => size, **@layout.nothing_stored }
        end

        def deep(leg)
          found = []
          walk({ "query" => leg.query, "sort" => [BY_SCORE, *@layout.order] }) do |hit|
            found << hit
            break if found.size == leg.topn
          end
          found
        end

        # Yield the hits of a search without a limit, from one state of the index.
        def walk(body, &)
          engine = @client.engine
          path = "#{@index}#{engine.points}?keep_alive=#{KEEP_ALIVE}"
          opened = @client.ask(OpenSearchClient::Request.new("POST", path))
          point = engine.point(opened)
          unless point.is_a?(::String)
            raise @client.failure("opened no point in time: #{Base::Validation.describe(opened)}")
          end

          begin
            walk_within(body, point, &)
          ensure
            closed = engine.closing(point)
            @client.ask(OpenSearchClient::Request.new("DELETE", engine.points, closed, accept: [404]))
          end
        end

        def walk_within(body, point, &)
          wanted = { "size" => DEEPEST, **@layout.nothing_stored, **body, "track_total_hits" => false,
                     "pit" => { "id" => point, "keep_alive" => KEEP_ALIVE } }
          loop do
            hits = @client.search([OpenSearchClient::EngineSearch.new("", wanted)])[0]["hits"]["hits"]
            hits.each(&)
            return if hits.size < wanted["size"]

            wanted = { **wanted, "search_after" => hits.last["sort"] }
          end
        end
      end
    end
  end
end
