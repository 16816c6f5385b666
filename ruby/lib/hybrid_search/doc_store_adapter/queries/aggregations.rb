# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # Counts the values of a field (DOC-4).
      module Aggregations
        KINDS = %w[number text boolean].freeze

        module_function

        # Return each different value with the number of documents that have it.
        #
        # The order is by count descending, then by value ascending: numbers, then texts (by code points), then false
        # and true. 1 and 1.0 are one value, shown as 1. A list counts once for each different member; objects, nested
        # lists, nil and NaN do not count.
        #
        # @param values [Array<Object>] for each document, the value of the field
        # @return [Array<Array(Object, Integer)>]
        def count(values)
          counts = ::Hash.new(0)
          values.each do |value|
            members = value.is_a?(::Array) ? value : [value]
            keys = members.filter_map { |member| Documents::StoredDocument.scalar_key(member) }
            keys.uniq.each { |key| counts[key] += 1 }
          end
          counts.sort { |left, right| compare(left, right) }.map { |(_, value), count| [value, count] }
        end

        def compare(left, right)
          return right[1] <=> left[1] if left[1] != right[1]

          (left_kind, left_value), = left
          (right_kind, right_value), = right
          return KINDS.index(left_kind) <=> KINDS.index(right_kind) if left_kind != right_kind
          return (left_value ? 1 : 0) <=> (right_value ? 1 : 0) if left_kind == "boolean"

          left_value <=> right_value
        end
        private_class_method :compare
      end
    end
  end
end
