# frozen_string_literal: true

module HybridSearch
  module Client
    # Decides whether and when a call is retried: exponential backoff with jitter; a server's `Retry-After` has
    # priority.
    class RetryPolicy
      include Base::ShortInspect

      LONGEST_SECONDS = 9
      MOST_DOUBLINGS = 30
      LONGEST = 86_400
      MONTHS = %w[Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec].freeze
      DATE = /\A(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),\ ([0-9]{2})\ ([A-Z][a-z]{2})\ ([0-9]{4})
              \ ([0-9]{2}):([0-9]{2}):([0-9]{2})\ GMT\z/x
      private_constant :DATE

      # @param status [Integer]
      # @return [Boolean] whether the same call may succeed later, judged by its HTTP status: 429 and 5xx
      def self.retryable?(status)
        status == 429 || status.between?(500, 599)
      end

      # @return [Integer] maximum number of retries of a call
      attr_reader :max_retries

      # @param max_retries [Integer] maximum number of retries of a call, at least 0
      # @param backoff [Float] seconds before the first retry, doubled for each further one; 0 to 86,400
      # @param max_backoff [Float] the longest wait in seconds, 0 to 86,400; `Retry-After` may ask for more
      # @param timing [Timing] clock and randomness
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(max_retries, backoff, max_backoff, timing)
        @max_retries = Base::Validation.integer("max_retries", max_retries, 0)
        @backoff = Base::Validation.number("backoff", backoff, 0, LONGEST)
        @max_backoff = Base::Validation.number("max_backoff", max_backoff, 0, LONGEST)
        @timing = timing
      end

      # Return the wait before the next attempt. Half of it is fixed and half is random, so that clients that failed
      # together do not retry together.
      #
      # @param attempt [Integer] the number of the failed attempt, from 1
      # @param retry_after [String, nil] the value of `Retry-After`, seconds or an HTTP date; any other value counts as
      #   missing
      # @return [Float] the number of seconds to wait
      def delay(attempt, retry_after = nil)
        asked = asked_for(retry_after)
        return asked if asked

        full = [@max_backoff, @backoff * (1 << [attempt - 1, MOST_DOUBLINGS].min)].min
        full * (0.5 + (0.5 * @timing.chance.call))
      end

      # @param retry_after [String, nil]
      # @return [Float, nil] the seconds that `Retry-After` asks for, 0 for a past date; nil if it is missing or
      #   malformed
      def asked_for(retry_after)
        return nil if retry_after.nil?

        text = retry_after.b.gsub(/\A[ \t]+|[ \t]+\z/, "")
        return seconds(text) if text.match?(/\A[0-9]+\z/)

        match = DATE.match(text)
        return nil unless match && MONTHS.include?(match[2])

        day, year, hour, minute, second = [1, 3, 4, 5, 6].map { |group| match[group].to_i }
        return nil unless day.between?(1, 31) && year >= 1970 && hour <= 23 && minute <= 59 && second <= 60

        [0.0, point_in_time(year, MONTHS.index(match[2]) + 1, day) + (((hour * 60) + minute) * 60) + second -
          @timing.now.call].max
      end

      private

      def seconds(digits)
        (digits.length <= LONGEST_SECONDS ? digits : "9" * LONGEST_SECONDS).to_f
      end

      # Return the seconds from 1970 to a day; a day beyond the end of its month counts into the next month.
      def point_in_time(year, month, day)
        Time.utc(year, month, 1).to_i + ((day - 1) * 86_400)
      end
    end
  end
end
