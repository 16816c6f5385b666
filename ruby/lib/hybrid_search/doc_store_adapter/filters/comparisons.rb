# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # Comparisons of a value with a limit or with a part of a text (DOC-2).
      module Comparisons
        # One side of a range: `gt`, `gte`, `lt` or `lte`, and the limit, which is a number or a text.
        class Bound
          include Base::Value

          # @return [String]
          attr_reader :operator
          # @return [Array(String, Object)] the type and the value
          attr_reader :limit

          def initialize(operator, limit)
            @operator = operator
            @limit = limit.freeze
            freeze
          end

          # @param key [Array(String, Object)] the type and the value
          # @return [Boolean] whether a value satisfies the comparison; a value of another type never does
          def holds?(key)
            return false if key[0] != limit[0]

            case operator
            when "gt" then key[1] > limit[1]
            when "gte" then key[1] >= limit[1]
            when "lt" then key[1] < limit[1]
            else key[1] <= limit[1]
            end
          end
        end

        # A condition on a text: `contains`, `starts_with` or `ends_with`, and a text, compared by code points.
        class TextPart
          include Base::Value

          # @return [String]
          attr_reader :operator
          # @return [String]
          attr_reader :part

          def initialize(operator, part)
            @operator = operator
            @part = part.freeze
            freeze
          end

          # @param key [Array(String, Object)] the type and the value
          # @return [Boolean] whether a value is a text that has the part
          def holds?(key)
            return false if key[0] != "text"

            case operator
            when "contains" then key[1].include?(part)
            when "starts_with" then key[1].start_with?(part)
            else key[1].end_with?(part)
            end
          end
        end
      end
    end
  end
end
