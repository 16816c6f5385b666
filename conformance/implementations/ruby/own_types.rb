# frozen_string_literal: true

require "bigdecimal"
require "date"
require "time"

module Conformance
  # Values of types that JSON has no word for, as cases write them: the same form as
  # `implementations/python/own_types.py`.
  module OwnTypes
    TYPES = {
      "$date" => ->(text) { ::Date.iso8601(text, ::Date::GREGORIAN) },
      "$datetime" => ->(text) { ::DateTime.iso8601(text, ::Date::GREGORIAN) },
      "$bytes" => :b.to_proc,
      "$utf16" => ->(text) { text.encode(::Encoding::UTF_16LE) },
      "$time" => ->(text) { ::Time.iso8601(text) },
      "$decimal" => ->(text) { BigDecimal(text) },
      "$symbol" => :to_sym.to_proc,
      "$symbols" => ->(object) { object.transform_keys(&:to_sym) },
      "$range" => ->(ends) { ::Range.new(ends["gte"], ends["lt"] || ends["lte"], ends.key?("lt")) },
      "$failing" => lambda do |values|
        ::Enumerator.new do |source|
          values.each { |value| source << value }
          raise HybridSearch::InvalidInputError, "the source has failed"
        end
      end,
      "$records" => lambda do |groups|
        records = groups.flat_map { |count, *lengths| [lengths] * count }
        records.each_with_index.map do |(characters, components), place|
          record = { "id" => "r#{place}", "content" => "x".ljust(characters) }
          components.zero? ? record : { **record, "vector" => [1.0] * components }
        end
      end
    }.freeze

    module_function

    # @return [Object] the value with every such object replaced by what it stands for
    def read(value)
      case value
      when ::Array then value.map { |item| read(item) }
      when ::Hash
        kind, text = value.first
        return TYPES[kind].call(read(text)) if value.size == 1 && TYPES.key?(kind)

        value.transform_values { |item| read(item) }
      else value
      end
    end
  end
end
