# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # How far the copies of an index have come: what not all have may still be lost with the nodes that have it
      # (OS-3).
      class OpenSearchCheckpoints
        include Base::ShortInspect

        NOWHERE = -1.0
        SHARDS = "index.number_of_shards"

        # @param client [OpenSearchClient] asks the cluster
        # @param index [String] the path of the index or its alias
        def initialize(client, index)
          @client = client
          @index = index
          @shards = {}
        end

        # @return [Float] the number of the last operation up to which every copy of every part has them all; infinite
        #   where the copies have whatever there is, below all numbers where that cannot be told
        def reached
          forbidden = [OpenSearchClient::FORBIDDEN]
          stats = OpenSearchClient::Request.new("GET", "#{@index}/_stats/docs?level=shards", accept: forbidden)
          indices = @client.ask(stats).fetch("indices", {}).transform_values { |index| primaries(index) }
          return NOWHERE if indices.empty? || indices.any? { |name, found| found.size != parts(name) }

          checkpoints = indices.values.flatten(1)
          return Float::INFINITY if checkpoints.all? { |one| one["global_checkpoint"] == one["max_seq_no"] }

          checkpoints.map { |one| one["global_checkpoint"] }.min.to_f
        end

        # @return [Hash{String=>Integer}] of each part which primary it has by now, counted from its first; empty where
        #   that may not be asked
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

        # Into how many parts an index is cut, which never changes.
        def parts(name)
          @shards[name] ||= begin
            path = "/#{name}/_settings/#{SHARDS}?flat_settings=true"
            Integer(@client.ask(OpenSearchClient::Request.new("GET", path))[name]["settings"][SHARDS], 10)
          end
        end
      end
    end
  end
end
