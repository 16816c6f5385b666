# frozen_string_literal: true

module HybridSearch
  module Client
    # When a call is repeated, and after how long: exponential backoff with jitter; what a server asks for in
    # `Retry-After` goes before it.
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
      # @return [Boolean] whether an HTTP status says that the same call may succeed later: 429 and 5xx
      def self.retryable?(status)
        status == 429 || status.between?(500, 599)
      end

      # @return [Integer] how often a call is repeated at the most
      attr_reader :max_retries

      # @param max_retries [Integer] how often a call is repeated at the most, at least 0
      # @param backoff [Float] seconds before the first repetition, doubled for each further one; 0 to 86,400
      # @param max_backoff [Float] the longest wait in seconds, 0 to 86,400; `Retry-After` may ask for more
      # @param timing [Timing] clock and chance
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(max_retries, backoff, max_backoff, timing)
        @max_retries = Base::Validation.integer("max_retries", max_retries, 0)
        @backoff = Base::Validation.number("backoff", backoff, 0, LONGEST)
        @max_backoff = Base::Validation.number("max_backoff", max_backoff, 0, LONGEST)
        @timing = timing
      end

      # Half of the wait is fixed, half is up to chance, so that clients that failed together come back apart.
      #
      # @param attempt [Integer] which attempt failed, from 1
      # @param retry_after [String, nil] the value of `Retry-After`, seconds or an HTTP date; one that is neither counts
      #   as missing
      # @return [Float] how many seconds to wait
      def delay(attempt, retry_after = nil)
        asked = asked_for(retry_after)
        return asked if asked

        full = [@max_backoff, @backoff * (1 << [attempt - 1, MOST_DOUBLINGS].min)].min
        full * (0.5 + (0.5 * @timing.chance.call))
      end

      # @param retry_after [String, nil]
      # @return [Float, nil] the seconds that `Retry-After` asks for, 0 for a date gone by; nil if it is missing or not
      #   understood
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

      # The seconds from 1970 to a day; days beyond the end of the month run on into the next.
      def point_in_time(year, month, day)
        Time.utc(year, month, 1).to_i + ((day - 1) * 86_400)
      end
    end
  end
end
