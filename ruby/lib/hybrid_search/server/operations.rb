# frozen_string_literal: true

module HybridSearch
  module Server
    # Performs authorized requests; each method returns the body of the response as bytes (CUR-6).
    class Operations
      include Base::ShortInspect

      # fields:begin: made by `bin/conformance make http`
      # What the body of a search may hold.
      SEARCH_FIELDS = %w[
        question vector limit page cursor candidates min_score min_cosine vector_similarity_weight rank_feature
        rank_feature_recall filters order_by match_all highlight fragments facets facet_limit explain include context
        parents collapse diversity fold_duplicates profile text_leg fusion weights rrf_k ranking on_index_change
      ].freeze
      # fields:end
      CITE_FIELDS = %w[answer hits mark vector_similarity_weight].freeze
      TAG_FIELDS = %w[question record field limit smoothing filters].freeze
      # The maximum number of code points of an answer whose sources are found.
      LONGEST_ANSWER = 65_536
      DOCUMENT_FIELDS = %w[documents mode].freeze
      MODES = %w[upsert add].freeze
      PLACE = /\Arecords(?=\[| must)/
      STORED = /(?<=is already stored); use [a-z ]+\z/
      private_constant :PLACE, :STORED

      # @param index [Index] the index to search and change
      # @param metrics [HttpMetrics] counts the operations
      def initialize(index, metrics)
        @index = index
        @metrics = metrics
        freeze
      end

      # @param body [Hash{String=>Object}]
      # @return [String] a page of hits (CUR-4)
      def search(body)
        Base::Validation.known("field", body.keys, SEARCH_FIELDS)
        options = body.except("question").transform_keys(&:to_sym)
        page = @index.search(Base::Validation.text("question", body.fetch("question", "")), **options)
        @metrics.count("hits", page.hits.size)
        HttpJson.write(page.to_h)
      end

      # @param body [Hash{String=>Object}]
      # @return [String] the sources of an answer (CIT-3)
      def cite(body)
        Base::Validation.known("field", body.keys, CITE_FIELDS)
        CITE_FIELDS.first(2).each { |name| raise InvalidInputError, "body has no #{name}" unless body.key?(name) }
        answer = Base::Validation.text("answer", body["answer"])
        if answer.length > LONGEST_ANSWER
          raise InvalidInputError, "answer must have at most #{LONGEST_ANSWER} characters, not #{answer.length}"
        end

        options = body.slice(*CITE_FIELDS.drop(2)).transform_keys(&:to_sym)
        HttpJson.write(@index.cite(answer, body["hits"], **options).to_h)
      end

      # @param body [Hash{String=>Object}]
      # @return [String] the tags of a question or of a record (TAG-1, TAG-2)
      def tags(body)
        Base::Validation.known("field", body.keys, TAG_FIELDS)
        given = TAG_FIELDS.first(2).select { |name| body.key?(name) }
        raise InvalidInputError, "body must have question or record, and not both" unless given.size == 1

        options = body.slice(*TAG_FIELDS.drop(2)).transform_keys(&:to_sym)
        find = given == ["question"] ? :tags_of_question : :tags_of_record
        HttpJson.write({ "tags" => @index.public_send(find, body[given[0]], **options) })
      end

      # Store documents, all of them or none of them.
      #
      # @param body [Hash{String=>Object}]
      # @return [String]
      def documents(body)
        Base::Validation.known("field", body.keys, DOCUMENT_FIELDS)
        raise InvalidInputError, "body has no documents" unless body.key?("documents")

        mode = Base::Validation.choice("mode", body.fetch("mode", "upsert"), MODES)
        documents = body["documents"]
        raise Base::Validation.failure("documents", documents, "a list of objects") unless documents.is_a?(::Array)

        changed = store(mode, documents)
        @metrics.count("changed", changed)
        HttpJson.write({ "received" => documents.size, "changed" => changed })
      end

      # @param identifier [String]
      # @param include [Array<Object>] further parts to include in the record
      # @return [String] the record of a document
      # @raise [HttpProblem] no document has this id
      def get(identifier, include)
        record = @index.get(identifier, include:)
        raise HttpProblem, "document_not_found" if record.nil?

        HttpJson.write(record)
      end

      # Remove a document.
      #
      # @param identifier [String]
      # @return [String]
      # @raise [HttpProblem] no document has this id
      def delete(identifier)
        deleted = @index.delete([identifier])
        raise HttpProblem, "document_not_found" if deleted.zero?

        @metrics.count("deleted", deleted)
        HttpJson.write({ "deleted" => deleted })
      end

      # @return [String] whether the store responds
      def health
        @index.count
        HttpJson.write({ "status" => "ok" })
      end

      # @return [String] all counters
      def metrics
        gauges = { "documents" => @index.count }
        if (cache = @index.ranking_cache)
          gauges.update("cache_hits" => cache.hits, "cache_misses" => cache.misses)
          gauges.update("cache_entries" => cache.size, "cache_bytes" => cache.bytes)
        end
        @metrics.text(gauges)
      end

      # @return [String] the OpenAPI document
      def openapi
        StaticFiles.openapi
      end

      # @return [String] the search page, for a service that is mounted at a path
      def page(root)
        StaticFiles.page(root)
      end

      # @return [String] the style of the search page
      def page_style
        StaticFiles.style
      end

      # @return [String] the script of the search page
      def page_script
        StaticFiles.script
      end

      private

      def store(mode, documents)
        @index.public_send(mode, documents, batch_size: [1, documents.size].max)
      rescue InvalidInputError, DimensionMismatchError => e
        raise e.class, e.message.sub(PLACE, "documents").sub(STORED, '; mode "upsert" replaces it')
      end
    end
  end
end
