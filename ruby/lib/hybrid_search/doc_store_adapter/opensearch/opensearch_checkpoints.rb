# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # The state of an index's replicas: an operation that only some copies have may be lost with their nodes (OS-3).
      class OpenSearchCheckpoints
        include Base::ShortInspect

        NOWHERE = -1.0
        SHARDS = "index.number_of_shards"

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the index or of its alias
        def initialize(client, index)
          @client = client
          @index = index
          @shards = {}
        end

        # Return the number of the last operation that every copy of every shard has, with all earlier ones.
        #
        # @return [Float] infinite if the copies have all operations; below all numbers of operations if it is not known
        def reached
          forbidden = [OpenSearchClient::FORBIDDEN]
          stats = OpenSearchClient::Request.new("GET", "#{@index}/_stats/docs?level=shards", accept: forbidden)
          told = @client.ask(stats).fetch("indices", {})
          counts = told.to_h { |name, index| [name, parts(name, index["uuid"].to_s)] }
          indices = told.transform_values { |index| primaries(index) }
          return NOWHERE if indices.empty? || indices.any? { |name, found| found.size != counts[name] }

          checkpoints = indices.values.flatten(1)
          return Float::INFINITY if checkpoints.all? { |one| one["global_checkpoint"] == one["max_seq_no"] }

          checkpoints.map { |one| one["global_checkpoint"] }.min.to_f
        end

        # @return [Hash{String=>Integer}] shard → the number of its current primary, counted from the first; empty if
        #   reading it is forbidden
        def terms
          path = "/_cluster/state/metadata#{@index}?filter_path=metadata.indices.*.primary_terms"
          told = @client.ask(OpenSearchClient::Request.new("GET", path, accept: [OpenSearchClient::FORBIDDEN]))
          indices = told.dig("metadata", "indices") || {}
          indices.values.reduce({}) { |found, index| found.merge(index["primary_terms"]) }
        end

        private

        def primaries(index)
          working = index["shards"].values.flatten(1).select do |copy|
            copy["routing"]["primary"] && copy["routing"]["state"] == "STARTED"
          end
          working.map { |copy| copy["seq_no"] }
        end

        # Return the number of shards of an index, which never changes; another index of that name has another uuid.
        def parts(name, uuid)
          @shards[uuid] ||= begin
            path = "/#{name}/_settings/#{SHARDS}?flat_settings=true"
            Integer(@client.ask(OpenSearchClient::Request.new("GET", path))[name]["settings"][SHARDS], 10)
          end
        end
      end
    end
  end
end
