# frozen_string_literal: true

module HybridSearch
  module Search
    # What a user's callable has made of a question (RWR-1).
    class Rewritten
      include Base::ShortInspect

      # @return [String, nil] the new question and the added filters as JSON, for cursors; nil where the question stayed
      attr_reader :carried
      # @return [Hash] the given question and filters, a part of the fingerprint
      attr_reader :asked
      # @return [Hash] the new question and the added filters, for explanations
      attr_reader :explained
      # @return [Array<String>] that the callable has failed
      attr_reader :warnings

      # @param value [#call] the option `rewrite`
      # @return [#call] the same
      # @raise [InvalidInputError] it is not a callable
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

      # Of a request that stays as it was given.
      AS_GIVEN = new
    end
  end
end
