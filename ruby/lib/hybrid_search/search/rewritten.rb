# frozen_string_literal: true

module HybridSearch
  module Search
    # The result of a user's callable for a question (RWR-1).
    class Rewritten
      include Base::ShortInspect

      # @return [String, nil] the new question and the added filters as JSON, for cursors; nil if nothing changed
      attr_reader :carried
      # @return [Hash] the given question and filters, a part of the fingerprint
      attr_reader :asked
      # @return [Hash] the new question and the added filters, for explanations
      attr_reader :explained
      # @return [Array<String>] a warning if the callable has failed
      attr_reader :warnings

      # @param value [#call] the option `rewrite`
      # @return [#call] the same
      # @raise [InvalidInputError] the value is not a callable
      def self.accept(value)
        return value if Base::ObjectChecks.able?(value)

        raise Base::Validation.failure("rewrite", value, "a callable")
      end

      def initialize(carried: nil, asked: {}, explained: {}, warnings: [])
        @carried = carried
        @asked = asked.freeze
        @explained = explained.freeze
        @warnings = warnings.freeze
        freeze
      end

      # The result for a request that stays unchanged.
      AS_GIVEN = new
    end
  end
end
