# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Counts the documents that the legs of one page find (OS-9).
      #
      # In a large index the number does not depend on the text, because enough documents have a vector. These are
      # counted once for each generation and remembered.
      class OpenSearchCount
        include Base::ShortInspect

        # The number of queries above which all are forgotten.
        MOST_REMEMBERED = 32

        # @param client [OpenSearchClient] sends requests to the cluster
        # @param index [String] the path of the index or of its alias
        # @param enough [Hash] the cache for all pages: query → the generation in which enough documents have a vector;
        #   nil if they were too few
        # @param most [Integer] the number up to which documents are counted
        # @param legs [Array<Hash>] for each leg a query for its documents
        # @param dense [Hash, nil] the query of the dense leg: all documents with a vector; nil without that leg
        # @param filters [Hash] the query of the filters
        def initialize(client, index, enough, most, legs, dense, filters)
          @client = client
          @index = index
          @enough = enough
          @most = most
          @either = { "bool" => { "should" => legs, "minimum_should_match" => 1, "filter" => [filters] } }
          @vectors = dense && { "bool" => { "filter" => [dense, filters] } }
          @key = [@vectors, most].to_s
          @counted = nil
        end

        # Return the search that counts, or no search if the number is known.
        #
        # @param generation [OpenSearchGenerations::Generation, nil] the generation of the index, if it is read at the
        #   same time
        # @return [Array<OpenSearchClient::EngineSearch>]
        def searches(generation)
          @counted = needed(generation)
          @counted.nil? ? [] : [search(@counted)]
        end

        # @param answers [Array<Hash>] the responses to {#searches}
        # @param generation [String, nil] the generation that the searches have read, if it is known
        # @return [Integer] the number
        def total(answers, generation)
          return @most if answers.empty?

          total = number(answers[0])
          return total unless @counted.equal?(@vectors)

          @enough.clear if @enough.size >= MOST_REMEMBERED
          if total < @most
            @enough[@key] = nil
            return number(@client.search([search(@either)])[0])
          end
          @enough[@key] = generation unless generation.nil?
          total
        end

        private

        # Return the query whose documents must be counted.
        def needed(generation)
          return @either if @vectors.nil? || generation.nil? || generation.documents < @most

          known = @enough.fetch(@key, "")
          return @either if known.nil?

          known == generation.text ? nil : @vectors
        end

        def search(query)
          body = { **@client.engine.asked(query), "size" => 0, "track_total_hits" => @most }
          OpenSearchClient::EngineSearch.new(@index, body)
        end

        def number(answer)
          [answer["hits"]["total"]["value"], @most].min
        end
      end
    end
  end
end
