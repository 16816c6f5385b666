# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Reads the generation of an index, by itself or in the same request as other searches (OS-9), and remembers the
      # last one.
      class OpenSearchGenerations
        include Base::ShortInspect

        # A generation of an index.
        class Generation
          include Base::ShortInspect

          # @return [String] an id that distinguishes the index from another one of its name
          attr_reader :uuid

          # @return [String, nil] the field that only this index has, if it has one
          attr_reader :identity

          # @return [Array<Array(Integer, Integer)>] for each shard the number of documents that searches can find, and
          #   of the last operation on them
          attr_reader :sequences

          # @param uuid [String] an id that distinguishes the index from another one of its name
          # @param identity [String, nil] the field that only this index has, if it has one
          # @param sequences [Array<Array(Integer, Integer)>] the state of each shard
          def initialize(uuid, identity, sequences)
            @uuid = uuid
            @identity = identity
            @sequences = sequences
            freeze
          end

          # @return [String] the generation as a store returns it
          def text
            [uuid, *sequences.map { |count, last| "#{count}-#{last}" }].join(".")
          end

          # @return [Integer] the number of documents that searches can find
          def documents
            sequences.sum(&:first) # whole numbers
          end

          # @return [Boolean] whether a search can recognize the index, which requires a document in it
          def recognized?
            !identity.nil? && sequences.any? { |count, _| count.positive? }
          end
        end

        LAST = { "last" => { "max" => { "field" => "_seq_no" } }.freeze }.freeze
        private_constant :LAST

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the index or of its alias
        # @param existing [#call] returns the description of the index ({OpenSearchIndex#existing})
        def initialize(client, index, existing)
          @client = client
          @index = index
          @existing = existing
          @latest = nil
        end

        # @return [Boolean] whether {#along} returns a generation
        def known?
          !@latest.nil? && @latest.recognized?
        end

        # @return [Generation] the generation, from two requests
        def read
          found = @existing.call
          @latest = Generation.new(found.uuid, found.identity, sequences(found.shards))
        end

        # @param shards [Integer] the number of shards
        # @return [Array<Array(Integer, Integer)>] the state of each shard, from one request
        def sequences(shards)
          stated(@client.search(searches(shards, {})))
        end

        # @param generation [String, nil]
        # @return [Boolean] whether a generation is the last one that was read
        def latest?(generation)
          !@latest.nil? && @latest.text == generation
        end

        # Return the responses to searches, and the generation, which is read in the same request; nil if the index
        # cannot be recognized.
        #
        # The searches of a request may read different states. So the generation is one that was read before: if it is
        # still the same, all of them have read it. If it has changed, they are sent once again, and what they find is
        # not older than the generation that is returned.
        #
        # @yieldparam generation [Generation, nil] the one that the searches are expected to see; nil if the index
        #   cannot be recognized
        # @yieldreturn [Array<OpenSearchClient::EngineSearch>] the searches
        # @return [Array(Array<Hash>, String)]
        def along
          before = @latest
          return [alone(yield(nil)), nil] if before.nil? || !before.recognized?

          answers, now = together(yield(before), before)
          return [answers, before.text] if now.sequences == before.sequences

          before = now.recognized? ? now : read
          return [alone(yield(nil)), before.text] unless before.recognized?

          answers, @latest = together(yield(before), before)
          [answers, before.text]
        end

        private

        def alone(asked)
          asked.empty? ? [] : @client.search(asked)
        end

        # Return the responses to searches, and the generation of the same index that the same request has read.
        def together(asked, before)
          query = { "query" => { "exists" => { "field" => before.identity } } }
          answers = @client.search([*asked, *searches(before.sequences.size, query)])
          now = Generation.new(before.uuid, before.identity, stated(answers.drop(asked.size)))
          [answers.take(asked.size), now]
        end

        def searches(shards, query)
          body = { "size" => 0, "track_total_hits" => true, "aggs" => LAST, **query }
          Array.new(shards) { |shard| OpenSearchClient::EngineSearch.new(@index, body, "_shards:#{shard}") }
        end

        def stated(answers)
          answers.map { |answer| [answer["hits"]["total"]["value"], answer["aggregations"]["last"]["value"].to_i] }
        end
      end
    end
  end
end
