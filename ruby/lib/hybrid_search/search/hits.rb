# frozen_string_literal: true

module HybridSearch
  module Search
    # Makes hits from places in a ranking; only the documents that are shown are read from the store (IDX-6).
    class Hits
      include Base::ShortInspect

      # Return the fields of hits, including those that recall has not found: parents.
      #
      # @param store [DocStoreAdapter] the documents
      # @param keys [Array<RankingKey>] the places of the hits
      # @param result [AdapterKit::SearchResult] the result of recall
      # @return [Array<Hash{String=>Object}>]
      def self.fields(store, keys, result)
        unknown = keys.map(&:id).reject { |identifier| result.fields.key?(identifier) }
        read = unknown.empty? ? {} : unknown.zip(store.get_many(unknown, [])).to_h.compact
        keys.map { |key| result.fields.fetch(key.id) { read.fetch(key.id, {}) } }
      end

      # Return the places of hits whose cosine is not below the lowest; no places without a vector to compare.
      #
      # @param store [DocStoreAdapter] the documents
      # @param lowest [Float] the lowest cosine
      # @param keys [Array<RankingKey>] the places
      # @param result [AdapterKit::SearchResult] the result of recall
      # @return [Array<RankingKey>]
      def self.near_enough(store, lowest, keys, result)
        return [] if result.query_vector.nil?

        known = result.dense_scores.nil? ? {} : result.dense_scores.cosines
        found = cosines(store, keys.map(&:id), result.query_vector, known)
        keys.select { |key| found.fetch(key.id, -2.0) >= lowest }
      end

      # Return the cosines of documents, without those that have no vector.
      #
      # @param store [DocStoreAdapter] the documents
      # @param identifiers [Array<String>] their ids
      # @param query_vector [Array<Float>] the vector that they are compared with
      # @param known [Hash{String=>Float}] the cosines that have been computed
      # @return [Hash{String=>Float}]
      def self.cosines(store, identifiers, query_vector, known)
        unknown = identifiers.reject { |identifier| known.key?(identifier) }
        field = Stores::Documents::StoredFields.vector_field(query_vector.size)
        documents = unknown.empty? ? [] : store.get_many(unknown, [field])
        computed = unknown.zip(documents).to_h do |identifier, document|
          [identifier, document && cosine(document, query_vector)]
        end
        known.slice(*identifiers).merge(computed.compact)
      end

      # @param document [Hash{String=>Object}] a stored document
      # @param query_vector [Array<Float>]
      # @param query_norm [Float, nil] the norm of that vector, if it is known
      # @return [Float, nil] its cosine with a vector, nil if it has no usable vector (NUM-3)
      def self.cosine(document, query_vector, query_norm = nil)
        name = Stores::Documents::StoredFields.vector_field(query_vector.size)
        vector = Stores::Documents::StoredFields.new.vector("", document, name, query_vector.size)
        return if vector.nil?

        query_norm ||= Base::Numeric.norm(query_vector)
        Base::Numeric.cosine_of(vector, Base::Numeric.norm(vector), query_vector, query_norm)
      end

      # @param store [DocStoreAdapter] the documents
      # @param request [SearchRequest] the request
      # @param ranking [Ranking] the ranking of the places
      def initialize(store, request, ranking)
        @store = store
        @request = request
        @ranking = ranking
        @query_vector = ranking.query_vector
        @query_norm = nil
        @highlight = request.highlight ? Stores::Queries::Highlight.new(ranking.marked) : nil
        @fragments = request.fragments && Fragments.new(request.fragments, ranking.marked)
      end

      # @param keys [Array<RankingKey>] the places
      # @param documents [Hash{String=>Hash{String=>Object}}, nil] their documents, if recall has read them: see
      #   {AdapterKit::SearchResult#documents}
      # @return [Array<Hit>] the hits of places; a document that has been removed since then has no hit
      def of(keys, documents = nil)
        found = read(keys.map(&:id), documents)
        contexts = @request.context.zero? ? {} : neighbours(found.compact)
        keys.zip(found).filter_map { |key, document| hit(key, document, contexts[key.id]) unless document.nil? }
      end

      private

      # Return documents with the vectors that are needed; those of recall have none.
      def read(identifiers, documents)
        fields = vector_fields(identifiers)
        return @store.get_many(identifiers, fields) if documents.nil? || fields.nil? || !fields.empty?

        identifiers.map { |identifier| documents.fetch(identifier) }
      end

      # Return the vector fields to read: all if vectors were requested, otherwise the one that is compared.
      def vector_fields(identifiers)
        return nil if @request.include.include?("vector")

        cosines = @ranking.scores.cosines
        return [] if @query_vector.nil? || identifiers.all? { |identifier| cosines.key?(identifier) }

        [Stores::Documents::StoredFields.vector_field(@query_vector.size)]
      end

      def neighbours(documents)
        parents = @ranking.arranged.nil? ? [] : @ranking.arranged.children.keys
        Neighbours.new(@store, @request.retrieval.parsed_filters, @request.context).of(documents, parents)
      end

      def hit(key, document, context)
        record = Records::RecordOf.record(document, @request.include)
        content = text(record["content"])
        Hit.new(
          id: key.id,
          doc_id: text(document.fetch("doc_id", key.id)),
          title: text(record["title"]),
          content:,
          score: @request.retrieval.match_all ? nil : key.score,
          scores: @ranking.scores.of(key.id, cosine(key.id, document)),
          document_name: text(document["docnm_kwd"]),
          keywords: list(record["keywords"]),
          questions: list(record["questions"]),
          positions: list(record["positions"]),
          metadata: object(record["metadata"]) || {},
          kb_id: record["kb_id"],
          parent: record["parent"] == "" ? nil : record["parent"],
          tags: object(record["tags"]),
          page_rank: record["page_rank"],
          highlight: @highlight && (@highlight.mark(content) || content),
          fragments: @fragments&.of(texts(record, document)),
          fields: Records::RecordOf.other_fields(document),
          vector: record["vector"],
          tokens: record["tokens"],
          context:,
          **(@ranking.arranged.nil? ? {} : @ranking.arranged.shown(key.id))
        )
      end

      # Return the texts of a document by the names of records, including a document name that equals the title.
      def texts(record, document)
        { **record, "document_name" => document["docnm_kwd"] }
      end

      # Return the cosine of a document for which the dense leg has not computed it; nil without vectors to compare.
      def cosine(identifier, document)
        return nil if @query_vector.nil? || @ranking.scores.cosines.key?(identifier)

        @query_norm ||= Base::Numeric.norm(@query_vector)
        Hits.cosine(document, @query_vector, @query_norm)
      end

      def text(value)
        value.is_a?(::String) ? value : ""
      end

      def list(value)
        return [value] if value.is_a?(::String)

        value.is_a?(::Array) ? value : []
      end

      def object(value)
        value if value.is_a?(::Hash)
      end
    end
  end
end
