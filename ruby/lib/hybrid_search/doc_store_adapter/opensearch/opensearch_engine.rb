# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # The requests in which OpenSearch and Elasticsearch differ (OS-7); this one is OpenSearch 2 with its k-NN plugin.
      class OpenSearchEngine
        include Base::ShortInspect

        NAME = "OpenSearch"
        # The first version of Elasticsearch whose searches take nearest neighbours and filter them.
        OLDEST = [8, 4].freeze
        MOST_COMPONENTS = 16_000
        VECTOR_TYPES = %w[knn_vector dense_vector].freeze
        private_constant :OLDEST

        # @param response [Hash, nil] a node's response to `GET /`
        # @return [OpenSearchEngine] the engine of the node; OpenSearch if it does not state a version
        # @raise [DocStoreError] the version of Elasticsearch is too old
        def self.of(response)
          version = response["version"] if response.is_a?(::Hash)
          return new if !version.is_a?(::Hash) || version["distribution"] == "opensearch"

          numbers = /\A(\d{1,9})\.(\d{1,9})/.match(version["number"].to_s)
          found = numbers ? [numbers[1].to_i, numbers[2].to_i] : [0, 0]
          return ElasticsearchEngine.new(found) unless (found <=> OLDEST) == -1

          raise DocStoreError, "an OpenSearchDocStore needs OpenSearch 2, or Elasticsearch 8.4 or later, not " \
                               "#{Base::Validation.describe(version["number"])}"
        end

        # @return [String] the name in messages
        def name
          NAME
        end

        # @return [Integer] the maximum number of components of a vector
        def most_components
          MOST_COMPONENTS
        end

        # @return [Boolean] whether a setting determines the number of clauses of a query
        def raises_clauses?
          true
        end

        # @return [String] the path of points in time
        def points
          "/_search/point_in_time"
        end

        # @return [Hash] the settings of an index with vectors
        def settings
          { "knn" => true }
        end

        # @param dimension [Integer]
        # @return [Hash] the mapping of a vector field
        def vector(dimension)
          { "type" => "knn_vector", "dimension" => dimension,
            "method" => { "name" => "hnsw", "engine" => "lucene", "space_type" => "cosinesimil" } }
        end

        # @param field [String]
        # @param vector [Array<Float>]
        # @param filters [Hash]
        # @param count [Integer]
        # @return [Hash] a query for the nearest neighbours that the graph reaches; scores are (1 + cosine) / 2
        def near(field, vector, filters, count)
          { "knn" => { field => { "vector" => vector, "k" => count, "filter" => filters } } }
        end

        # @param query [Hash]
        # @return [Hash] the part of a search request that contains a query
        def asked(query)
          { "query" => query }
        end

        # @param field [String]
        # @param vector [Array<Float>]
        # @return [Hash] the script that compares a vector with that of a document; scores are (1 + cosine) / 2
        def compared(field, vector)
          params = { "field" => field, "query_value" => vector, "space_type" => "cosinesimil" }
          { "lang" => "knn", "source" => "knn_score", "params" => params }
        end

        # @param opened [Hash] the response to the request for a point in time
        # @return [Object] its id
        def point(opened)
          opened["pit_id"]
        end

        # @param point [String]
        # @return [Hash] the body that closes a point in time
        def closing(point)
          { "pit_id" => [point] }
        end
      end

      # Elasticsearch 8 or 9.
      class ElasticsearchEngine < OpenSearchEngine
        NAME = "Elasticsearch"
        # From this version on, vectors are stored only as 32-bit floats, unless an index sets another type.
        LESS_STORED = [9, 2].freeze
        private_constant :LESS_STORED

        # @param version [Array<Integer>] the version's first two numbers
        def initialize(version)
          super()
          @stores_all = (version <=> LESS_STORED) == -1
        end

        # @see OpenSearchEngine#name
        def name
          NAME
        end

        # @see OpenSearchEngine#most_components
        def most_components
          4_096
        end

        # @see OpenSearchEngine#raises_clauses?
        def raises_clauses?
          false
        end

        # @see OpenSearchEngine#points
        def points
          "/_pit"
        end

        # @see OpenSearchEngine#settings
        def settings
          @stores_all ? {} : { "mapping" => { "exclude_source_vectors" => false } }
        end

        # @see OpenSearchEngine#vector
        def vector(dimension)
          { "type" => "dense_vector", "dims" => dimension, "index" => true, "similarity" => "cosine",
            "index_options" => { "type" => "hnsw", "m" => 16, "ef_construction" => 100 } }
        end

        # @see OpenSearchEngine#near
        def near(field, vector, filters, count)
          { "knn" => { "field" => field, "query_vector" => vector, "k" => count, "num_candidates" => count,
                       "filter" => filters } }
        end

        # Request neighbours next to a query; the union of both is found.
        #
        # @see OpenSearchEngine#asked
        def asked(query)
          return { "knn" => query["knn"] } if query.key?("knn")

          near, other = query.fetch("bool", {})["should"]
          near&.key?("knn") ? { "query" => other, "knn" => near["knn"] } : { "query" => query }
        end

        # @see OpenSearchEngine#compared
        def compared(field, vector)
          source = "(1.0 + cosineSimilarity(params.vector, params.field)) / 2.0"
          { "source" => source, "params" => { "field" => field, "vector" => vector } }
        end

        # @see OpenSearchEngine#point
        def point(opened)
          opened["id"]
        end

        # @see OpenSearchEngine#closing
        def closing(point)
          { "id" => point }
        end
      end
    end
  end
end
