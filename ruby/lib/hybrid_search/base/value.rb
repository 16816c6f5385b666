# frozen_string_literal: true

require "json"

module HybridSearch
  module Base
    # Shared behaviour of immutable values: frozen, compared by their parts, changed by copies, matched by patterns,
    # shown in one short line. The parts of a value are the parameters of its `initialize`; each has a reader of the
    # same name.
    module Value
      # Writes an object as JSON by its `to_h`: with the standard library's `JSON.generate(value)` and `value.to_json`,
      # and in Rails with `render json: value`.
      module ToJson
        # Return the data that the `to_json` of Rails writes.
        #
        # @return [Hash{String=>Object}] `to_h`
        def as_json(*)
          to_h
        end

        # @param options [Array<Object>] passed on by the JSON generator, or by Rails
        # @return [String] `to_h` as JSON
        def to_json(*options)
          to_h.to_json(*options)
        end
      end
      include ToJson

      # The maximum number of characters of a text that an inspection shows.
      SHOWN = 40

      # @api private
      def self.included(type)
        type.extend(PartNames)
      end

      # Show a part: texts are cut, collections are shown by their size.
      #
      # @api private
      # @return [String]
      def self.shown(value)
        case value
        when ::String then value.length <= SHOWN ? value.inspect : "#{value[0, SHOWN].inspect.chop}…\""
        when ::Array then value.empty? ? "[]" : "[#{value.size} item#{"s" if value.size > 1}]"
        when ::Hash then value.empty? ? "{}" : "{#{value.size} key#{"s" if value.size > 1}}"
        when nil, true, false, ::Numeric, ::Symbol then value.inspect
        else "#<#{value.class}>"
        end
      end

      # @api private
      # @return [Object] a part as plain data
      def self.plain(value)
        case value
        when Value then value.to_h
        when ::Array then value.map { |item| plain(item) }
        else value
        end
      end

      # Class methods that list the parts of a value.
      module PartNames
        # @return [Array<Symbol>] the names of the parts, in order
        def parts
          @parts ||= (positional_parts + keyword_parts).freeze
        end

        # @api private
        # @return [Array<Symbol>]
        def positional_parts
          @positional_parts ||= parts_of(:req, :opt)
        end

        # @api private
        # @return [Array<Symbol>]
        def keyword_parts
          @keyword_parts ||= parts_of(:keyreq, :key)
        end

        private

        # Remember the original `initialize`: methods that wrap it later, such as those of signature checks, may hide
        # its parameters.
        def method_added(name)
          super
          @signature ||= instance_method(name).parameters if name == :initialize
        end

        def parts_of(*kinds)
          @signature.filter_map { |kind, name| name if kinds.include?(kind) }
        end
      end

      # @return [Boolean] whether the other is of the same class and all parts are equal
      def ==(other)
        equal?(other) || (other.class == self.class && other.deconstruct_keys(nil) == deconstruct_keys(nil))
      end

      # @return [Boolean] as {#==}, with parts that are the same key of a Hash: 1 is not 1.0
      def eql?(other)
        equal?(other) || (other.class == self.class && other.deconstruct_keys(nil).eql?(deconstruct_keys(nil)))
      end

      # @return [Integer]
      def hash
        [self.class, deconstruct_keys(nil)].hash
      end

      # @param keys [Array<Symbol>, nil] the requested parts; nil: all
      # @return [Hash{Symbol=>Object}] the parts by name, for `in` patterns
      def deconstruct_keys(keys)
        names = keys ? keys & self.class.parts : self.class.parts
        names.to_h { |name| [name, public_send(name)] }
      end

      # @param changes [Hash{Symbol=>Object}] parts with other values
      # @return [Value] a copy with these changes
      # @raise [InvalidInputError] the value has no such part
      def with(**changes)
        Validation.known("part of #{self.class}", changes.keys, self.class.parts.map(&:to_s))
        all = deconstruct_keys(nil).merge(changes)
        self.class.new(*all.values_at(*self.class.positional_parts), **all.slice(*self.class.keyword_parts))
      end

      # @return [Hash{String=>Object}] the parts as plain data
      def to_h
        deconstruct_keys(nil).to_h { |name, value| [name.to_s, Value.plain(value)] }
      end

      # @return [String] class and parts in one short line
      def inspect
        shown = deconstruct_keys(nil).map { |name, value| "#{name}=#{Value.shown(value)}" }
        "#<#{[self.class, shown.join(", ")].reject { |part| part.to_s.empty? }.join(" ")}>"
      end
    end
  end
end
