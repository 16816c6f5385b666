# frozen_string_literal: true

require "set"

module HybridSearch
  module Stores
    module Filters
      # The checked conditions that filters consist of (DOC-2).
      #
      # Each condition decides whether a document passes (`accepts?`), has a `key` that equals that of a condition with
      # the same meaning, and returns its written form (`data`).
      module FilterConditions
        # A document that a condition checks.
        class Candidate
          include Base::ShortInspect

          # @return [String] its id
          attr_reader :identifier
          # @return [Hash{String=>Object}] its fields apart from vectors
          attr_reader :fields
          # @return [Array<String>] the names of its vector fields
          attr_reader :vector_fields

          def initialize(identifier, fields, vector_fields)
            @identifier = identifier
            @fields = fields
            @vector_fields = vector_fields
          end

          # @param path [Documents::FieldPath]
          # @return [Boolean] whether the document has a value at the path; an empty list counts as missing
          def there?(path)
            return true if vector_fields.include?(path.name)

            value = path.value(fields)
            !value.nil? && value != []
          end
        end

        # The document has one of these ids.
        class Identified
          include Base::ShortInspect

          # @return [Set<String>]
          attr_reader :identifiers

          def initialize(identifiers)
            @identifiers = identifiers.to_set.freeze
            freeze
          end

          # @return [Array]
          def key
            ["id", @identifiers]
          end

          # @return [Boolean]
          def accepts?(candidate)
            @identifiers.include?(candidate.identifier)
          end

          # @return [Hash{String=>Object}]
          def data
            { "id" => @identifiers.sort }
          end
        end

        # The availability of the document is one of these; a document without a value is available.
        class Available
          include Base::ShortInspect

          # @return [Array<Boolean>]
          attr_reader :wanted

          # @param wanted [Array<Boolean>]
          def initialize(wanted)
            @wanted = wanted.freeze
            freeze
          end

          # @return [Array]
          def key
            ["available_int", @wanted.to_set]
          end

          # @return [Boolean]
          def accepts?(candidate)
            value = candidate.fields["available_int"]
            @wanted.include?(value.nil? || value >= 1)
          end

          # @return [Hash{String=>Object}]
          def data
            numbers = @wanted.map { |wanted| wanted ? 1 : 0 }
            { "available_int" => numbers.size == 1 ? numbers[0] : numbers }
          end
        end

        # The document has the field, or lacks it; an empty list counts as missing.
        class Exists
          include Base::ShortInspect

          # @return [Documents::FieldPath]
          attr_reader :path

          # @return [Boolean]
          attr_reader :wanted

          def initialize(path, wanted)
            @path = path
            @wanted = wanted
            freeze
          end

          # @return [Array]
          def key
            ["exists", @path, @wanted]
          end

          # @return [Boolean]
          def accepts?(candidate)
            candidate.there?(@path) == @wanted
          end

          # @return [Hash{String=>Object}]
          def data
            { @path.name => { "exists" => @wanted } }
          end
        end

        # The document lacks all of these fields; an empty list counts as missing.
        class Missing
          include Base::ShortInspect

          # @return [Array<Documents::FieldPath>]
          attr_reader :paths

          def initialize(paths)
            @paths = paths.freeze
            freeze
          end

          # @return [Array]
          def key
            ["must_not", @paths.to_set]
          end

          # @return [Boolean]
          def accepts?(candidate)
            @paths.none? { |path| candidate.there?(path) }
          end

          # @return [Hash{String=>Object}]
          def data
            { "must_not" => { "exists" => @paths.map(&:name) } }
          end
        end

        # A value of the field is one of these, is within the bounds, and has the parts; one member of a list is enough.
        class Valued
          include Base::ShortInspect

          # @return [Documents::FieldPath] the path of the field
          attr_reader :path

          # @return [Set<Array(String, Object)>, nil] the accepted values; nil accepts any value
          attr_reader :wanted

          # @return [Array<Comparisons::Bound>] the sides of a range
          attr_reader :bounds

          # @return [Array<Comparisons::TextPart>] the parts that a text must contain, begin with or end with
          attr_reader :parts

          # @return [Boolean, nil] whether the document must have the field or must lack it; nil accepts both
          attr_reader :exists

          # @param path [Documents::FieldPath] the path of the field
          # @param any_of [Array<Array(String, Object)>, nil] the accepted values; nil accepts any value
          # @param bounds [Array<Comparisons::Bound>] the sides of a range
          # @param exists [Boolean, nil] whether the document must have the field or must lack it; nil accepts both
          # @param parts [Array<Comparisons::TextPart>] the parts that a text must contain, begin with or end with
          def initialize(path, any_of, bounds = [], exists = nil, parts = [])
            @path = path
            @values = any_of&.map { |_, value| value }.freeze
            @wanted = any_of&.to_set.freeze
            @bounds = bounds.freeze
            @parts = parts.freeze
            @exists = exists
            freeze
          end

          # @return [Array]
          def key
            ["value", @path, @wanted, @bounds.to_set, @parts.to_set, @exists]
          end

          # @return [Boolean]
          def accepts?(candidate)
            return false unless @exists.nil? || candidate.there?(@path) == @exists

            value = @path.value(candidate.fields)
            return value.any? { |member| holds?(Documents::StoredDocument.scalar_key(member)) } if value.is_a?(::Array)

            holds?(Documents::StoredDocument.scalar_key(value))
          end

          # @param key [Array(String, Object)] the type and the value
          # @return [Boolean] whether a value is within the bounds and has the parts
          def holds_within?(key)
            @bounds.all? { |bound| bound.holds?(key) } && @parts.all? { |part| part.holds?(key) }
          end

          # @return [Hash{String=>Object}]
          def data
            plain = @values && @bounds.empty? && @parts.empty? && @exists.nil?
            { @path.name => plain ? equal : operators }
          end

          private

          def equal
            @values.size == 1 ? @values[0] : @values
          end

          def operators
            written = @values ? { "in" => @values } : {}
            @bounds.each { |bound| written[bound.operator] = bound.limit[1] }
            @parts.each { |part| written[part.operator] = part.part }
            written["exists"] = @exists unless @exists.nil?
            written
          end

          def holds?(key)
            return false if key.nil? || (@wanted && !@wanted.include?(key))

            holds_within?(key)
          end
        end

        # All of these conditions hold: an object of filters.
        class Conjunction
          include Base::ShortInspect

          # @return [Array]
          attr_reader :conditions

          def initialize(conditions)
            @conditions = conditions.freeze
            freeze
          end

          # @return [Array]
          def key
            ["filters", @conditions.to_set(&:key)]
          end

          # @return [Boolean]
          def accepts?(candidate)
            @conditions.all? { |condition| condition.accepts?(candidate) }
          end

          # @return [Hash{String=>Object}]
          def data
            written = {}
            further = []
            @conditions.map(&:data).each do |data|
              # Further data is, for example, a second `not`: an object has each key once.
              written.keys.intersect?(data.keys) ? further << data : written.update(data)
            end
            further.empty? ? written : written.merge("all" => [*written["all"], *further])
          end
        end

        # Each of these filters holds.
        class AllConditions
          include Base::ShortInspect

          # @return [Array<Conjunction>]
          attr_reader :filters

          def initialize(filters)
            @filters = filters.freeze
            freeze
          end

          # @return [Array]
          def key
            ["all", @filters.to_set(&:key)]
          end

          # @return [Boolean]
          def accepts?(candidate)
            @filters.all? { |one| one.accepts?(candidate) }
          end

          # @return [Hash{String=>Object}]
          def data
            { "all" => @filters.map(&:data) }
          end
        end

        # At least one of these filters holds.
        class AnyCondition
          include Base::ShortInspect

          # @return [Array<Conjunction>]
          attr_reader :filters

          def initialize(filters)
            @filters = filters.freeze
            freeze
          end

          # @return [Array]
          def key
            ["any", @filters.to_set(&:key)]
          end

          # @return [Boolean]
          def accepts?(candidate)
            @filters.any? { |one| one.accepts?(candidate) }
          end

          # @return [Hash{String=>Object}]
          def data
            { "any" => @filters.map(&:data) }
          end
        end

        # These filters do not hold.
        class Negation
          include Base::ShortInspect

          # @return [Conjunction]
          attr_reader :filters

          def initialize(filters)
            @filters = filters
            freeze
          end

          # @return [Array]
          def key
            ["not", @filters.key]
          end

          # @return [Boolean]
          def accepts?(candidate)
            !@filters.accepts?(candidate)
          end

          # @return [Hash{String=>Object}]
          def data
            { "not" => @filters.data }
          end
        end
      end
    end
  end
end
