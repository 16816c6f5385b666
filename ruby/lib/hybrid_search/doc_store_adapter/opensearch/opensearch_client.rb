# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module OpenSearch
      # Growing pauses until a deadline.
      class Pausing
        include Base::ShortInspect

        # @param policy [Client::RetryPolicy] determines the lengths of the pauses
        # @param timing [Client::Timing] the clock and the sleep function
        # @param timeout [Float] the deadline, in seconds from now
        def initialize(policy, timing, timeout)
          @policy = policy
          @timing = timing
          @until = timing.clock.call + timeout
          @attempt = 0
        end

        # Return the number of seconds for the next attempt: those until the deadline, or a share of them.
        #
        # @param addresses [Integer] the number of nodes; each gets an equal share of the time, and the last one the
        #   rest
        # @yieldreturn [DocStoreError] the error to raise if the deadline has passed
        # @return [Float]
        # @raise [DocStoreError] the deadline has passed
        def left(addresses = 1)
          left = @until - @timing.clock.call
          raise yield if left <= 0.0

          left / [addresses - @attempt, 1].max
        end

        # Pause before another attempt.
        #
        # @param problem [DocStoreError] the error to raise if the deadline comes first
        # @return [void]
        # @raise [DocStoreError] the deadline comes first
        def wait(problem)
          @attempt += 1
          delay = @policy.delay(@attempt)
          raise DocStoreError, "#{problem.message}, after #{@attempt} attempts" if @timing.clock.call + delay >= @until

          Base::Log.warning(
            "#{problem.message}; attempt #{@attempt + 1} follows in #{Base::Numeric.fixed1(delay)} seconds"
          )
          @timing.sleep.call(delay)
        end
      end

      # Sends requests to a cluster and reads its responses: retries if it is busy, and detects partial responses
      # (OS-3).
      class OpenSearchClient
        include Base::ShortInspect

        # A request. One that changes something is repeated only if it certainly had no effect.
        class Request
          include Base::ShortInspect

          # @return [String]
          attr_reader :method, :path

          # @return [Hash, Array, nil]
          attr_reader :body

          # @return [Boolean]
          attr_reader :writes

          # @return [Array<Integer>]
          attr_reader :accept

          # @param method [String] the HTTP method
          # @param path [String] the path and the query, escaped
          # @param body [Hash, Array, nil] plain data; a list is sent as lines, one for each member
          # @param writes [Boolean] whether the request changes something
          # @param accept [Array<Integer>] the statuses other than 2xx whose responses are read
          def initialize(method, path, body = nil, writes: false, accept: [])
            @method = method
            @path = path
            @body = body
            @writes = writes
            @accept = accept
          end
        end

        # A search request to the engine.
        class EngineSearch
          include Base::ShortInspect

          # @return [String]
          attr_reader :path, :preference

          # @return [Hash]
          attr_reader :body

          # @param path [String] the path of the index; empty if the body has a point in time
          # @param body [Hash] the search request
          # @param preference [String] the copies and shards to search; empty for any copy of all shards
          def initialize(path, body, preference = "")
            @path = path
            @body = body
            @preference = preference
          end
        end

        BUSY = 429
        UNAVAILABLE = [502, 503, 504].freeze
        # From this status on, a write may have taken effect, completely or in part.
        FAILED = 500
        FORBIDDEN = 403
        NOT_FOUND = 404
        # The statuses with which a node, or a gateway before it, may refuse to state its version.
        UNTOLD = [400, FORBIDDEN, NOT_FOUND, 405].freeze
        MOST_PAUSES = 1_000
        BACKOFF = 0.1
        MAX_BACKOFF = 5.0
        UNKNOWN = "; the outcome is unknown: what was to be written may be stored, or some of it"
        BLOCKED = "cluster_block_exception"
        MISSING = "index_not_found_exception"
        CLOSED = "index_closed_exception"
        # The types of errors with status 500 about a node that disappeared before the cluster noticed it.
        LOST = %w[node_not_connected_exception node_disconnected_exception node_closed_exception].freeze

        # Return the type and the reason of an engine's error in one line; those of its cause if it has one.
        #
        # @param error [Hash]
        # @return [String]
        def self.words(error)
          cause = cause(error)
          text = cause.values_at("type", "reason").compact.join(": ").split.join(" ")
          most = Base::Validation::MESSAGE_CHARACTERS
          text.length <= most ? text : "#{text[0, most]}…"
        end

        # Return the cause of an engine's error, or the error itself if no cause is known.
        #
        # @param error [Hash]
        # @return [Hash]
        def self.cause(error)
          first = ->(list) { list[0] if list.is_a?(::Array) && list[0].is_a?(::Hash) }
          shard = first.call(error["failed_shards"])
          reason = shard && shard["reason"]
          return reason if reason.is_a?(::Hash)

          first.call(error["root_cause"]) || error
        end

        # @param transport [#request] sends a single request
        # @param name [String] the cluster's name in messages
        # @param timeout [Float] the maximum number of seconds for a request, including pauses
        # @param tolerant [Boolean] whether partial responses are accepted with a warning; otherwise they are an error
        # @param timing [Client::Timing] the clock, the sleep function and the random numbers
        # @param addresses [Integer] the number of nodes that the transport uses in turn; a read leaves time for each
        def initialize(transport, name, timeout, tolerant, timing, addresses = 1)
          @transport = transport
          @name = name
          @timeout = timeout
          @tolerant = tolerant
          @addresses = addresses
          @timing = timing
          @pauses = Client::RetryPolicy.new(MOST_PAUSES, BACKOFF, MAX_BACKOFF, timing)
        end

        # Return the engine of the cluster, which is asked for its version once.
        #
        # @return [OpenSearchEngine]
        def engine
          @engine ||= begin
            found = OpenSearchEngine.of(ask(Request.new("GET", "/", accept: UNTOLD)))
            @name = @name.sub(OpenSearchEngine::NAME, found.name)
            found
          end
        end

        # @param request [Request]
        # @return [Hash, nil] the content of the response to a request; nil if its status is 404 and 404 is accepted
        # @raise [DocStoreError] the request was refused, or there was no response in time
        # @raise [UnknownOutcomeError] the request changes something, and may have taken effect
        def ask(request)
          asked(request, pausing)
        end

        # Send searches as one request, and return their responses, each of which covers all shards.
        #
        # @param searches [Array<EngineSearch>] at least one; a search without an index must be the only one
        # @return [Array<Hash>]
        # @raise [DocStoreError] a search failed, or its response was partial twice
        def search(searches)
          pausing = self.pausing
          retried = false
          loop do
            answers = searched(searches, pausing)
            problem = answers.lazy.filter_map { |answer| partial(answer) }.first
            return answers unless problem

            told = "#{@name} gave a part of the answer: #{problem}"
            raise DocStoreError, told if retried && !@tolerant

            Base::Log.warning(told) if retried
            return answers if retried

            retried = true
          end
        end

        # @return [Integer] the maximum number of milliseconds for a request, including pauses
        def milliseconds
          (@timeout * 1000.0).to_i
        end

        # @return [Integer] the number of microseconds since 1970
        def microseconds
          (@timing.now.call * 1e6).to_i
        end

        # @return [Pausing] the pauses of one call; they grow, and end at the deadline
        def pausing
          Pausing.new(@pauses, @timing, @timeout)
        end

        # @param what [String]
        # @return [DocStoreError] the error that names the cluster and the problem
        def failure(what)
          DocStoreError.new("#{@name} #{what}")
        end

        # Raise an error if an engine's error says that an index is missing or closed.
        #
        # @param error [Object] the engine's error
        # @param index [String, nil] the requested index; another one may be missing for a moment, while an alias
        #   changes
        # @return [void]
        # @raise [DocStoreError] the index is missing or closed
        def check_index(error, index = nil)
          kind, name = (error.is_a?(::Hash) ? OpenSearchClient.cause(error) : {}).values_at("type", "index")
          return unless name && (kind == CLOSED || (kind == MISSING && [nil, name].include?(index)))

          words = kind == CLOSED ? "has closed the index" : "has no index"
          raise failure("#{words} #{Base::Validation.describe(name)}")
        end

        private

        def searched(searches, pausing)
          loop do
            answers = answers(searches, pausing)
            failed = answers.find { |answer| answer.key?("error") }
            return answers unless failed

            status = failed["status"]
            check_index(error_of(failed))
            told = failure("returned status #{Base::Validation.describe(status)}#{words(failed)}")
            raise told unless may_pass?(status, failed)

            pausing.wait(told)
          end
        end

        def answers(searches, pausing)
          return [asked(single(searches[0]), pausing)] if searches.size == 1

          lines = searches.flat_map { |search| [header(search), search.body] }
          answers = asked(Request.new("POST", "/_msearch", lines), pausing)["responses"]
          return answers if answers.is_a?(::Array) && answers.size == searches.size

          raise failure("did not answer all searches")
        end

        def single(search)
          query = search.preference.empty? ? "" : "?preference=#{search.preference}"
          Request.new("POST", "#{search.path}/_search#{query}", search.body)
        end

        def header(search)
          index = { "index" => search.path.delete_prefix("/") }
          search.preference.empty? ? index : { **index, "preference" => search.preference }
        end

        def asked(request, pausing)
          body = written(request.body)
          loop do
            answer = sent(request, body, pausing)
            next unless answer

            value = read(answer, request)
            status = answer.status
            return value if status.between?(200, 299) || request.accept.include?(status)

            judge(status, value, request, pausing)
          end
        end

        # Return the response, or nil after a pause if there was none.
        def sent(request, body, pausing)
          seconds = pausing.left(request.writes ? 1 : @addresses) do
            failure("did not answer within #{Base::Validation.describe(@timeout)} seconds")
          end
          @transport.request(request.method, request.path, body, seconds)
        rescue TransportError => e
          raise failure(e.message) if e.lasting?
          raise unknown(e.message) if request.writes && e.sent?

          pausing.wait(failure(e.message))
          nil
        end

        # Raise the error of a failed response, or pause before another attempt.
        def judge(status, value, request, pausing)
          check_index(error_of(value))
          told = failure("returned status #{status}#{words(value)}")
          unclear = request.writes && status >= FAILED && kind(value) != BLOCKED
          raise UnknownOutcomeError, "#{told.message}#{UNKNOWN}" if unclear
          raise told unless may_pass?(status, value)

          pausing.wait(told)
        end

        def read(answer, request)
          return nil if answer.status == NOT_FOUND && request.accept.include?(NOT_FOUND)

          value = parsed(answer.text)
          return value if value.is_a?(::Hash) || !answer.status.between?(200, 299)
          raise unknown("returned invalid JSON") if request.writes

          raise failure("returned invalid JSON")
        end

        def parsed(text)
          JSON.parse(text, create_additions: false)
        rescue JSON::ParserError, EncodingError
          nil
        end

        def unknown(what)
          UnknownOutcomeError.new("#{@name} #{what}#{UNKNOWN}")
        end

        def written(body)
          case body
          when nil then nil
          when ::Hash then JSON.generate(body)
          else body.map { |line| "#{JSON.generate(line)}\n" }.join
          end
        end

        # Return the reason why a search response is partial, or nil if it is complete.
        def partial(answer)
          shards = answer["_shards"]
          return "it does not tell its shards" unless shards.is_a?(::Hash)

          total, successful = shards.values_at("total", "successful")
          if successful != total || shards.fetch("failed", 0) != 0
            return "#{Base::Validation.describe(successful)} of #{Base::Validation.describe(total)} shards"
          end

          answer["timed_out"] == false ? nil : "it was cut short by a timeout"
        end

        # Return whether a failed request may succeed a little later.
        def may_pass?(status, value)
          status == BUSY || UNAVAILABLE.include?(status) || kind(value) == BLOCKED || LOST.include?(cause_kind(value))
        end

        def error_of(value)
          value["error"] if value.is_a?(::Hash)
        end

        # Return the type of the error in a response, or nil without an error.
        def kind(value)
          error = error_of(value)
          error["type"] if error.is_a?(::Hash)
        end

        # Return the type of the cause of the error in a response, or nil without an error.
        def cause_kind(value)
          error = error_of(value)
          OpenSearchClient.cause(error)["type"] if error.is_a?(::Hash)
        end

        # Return the message of the error in a response.
        def words(value)
          error = error_of(value)
          return ": #{Base::Validation.describe(error)}" if error.is_a?(::String)

          error.is_a?(::Hash) ? ": #{OpenSearchClient.words(error)}" : ""
        end
      end
    end
  end
end
