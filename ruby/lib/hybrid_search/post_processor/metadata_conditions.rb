# frozen_string_literal: true

module HybridSearch
  # Converts conditions on metadata, as Dify's knowledge bases and nodes, and RAGFlow's API and chats, write them, into
  # filters (DFY-8).
  class MetadataConditions
    include Base::ShortInspect

    NAMES = %w[name key].freeze
    OPERATOR_NAMES = %w[comparison_operator op operator].freeze
    # The keys that Dify's interface adds to a condition for its own use.
    ALSO_WRITTEN = %w[id metadata_id metadata_type type].freeze
    LISTS = %w[conditions manual].freeze
    LOGICS = %w[logical_operator logic].freeze
    METHODS = %w[manual disabled].freeze
    JOINED = { "and" => "all", "or" => "any" }.freeze
    DOCUMENT_NAME = "document_name"
    # The operators of both systems → the operators of filters.
    OPERATORS = {
      "is" => "in", "=" => "in", "==" => "in", "in" => "in",
      "is not" => "not in", "not is" => "not in", "≠" => "not in", "!=" => "not in", "not in" => "not in",
      "contains" => "contains", "not contains" => "not contains",
      "start with" => "starts_with", "starts with" => "starts_with",
      "end with" => "ends_with", "ends with" => "ends_with",
      "empty" => "empty", "not empty" => "not empty",
      ">" => "gt", "after" => "gt", "≥" => "gte", ">=" => "gte",
      "<" => "lt", "before" => "lt", "≤" => "lte", "<=" => "lte"
    }.freeze
    NUMBER = /\A-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,16}[1-9])?\z/
    TRUTHS = { "true" => true, "false" => false }.freeze
    ONE_VALUE = "a text, a number, true or false"
    private_constant :NAMES, :OPERATOR_NAMES, :ALSO_WRITTEN, :LISTS, :LOGICS, :METHODS, :JOINED, :DOCUMENT_NAME,
                     :OPERATORS, :NUMBER, :TRUTHS, :ONE_VALUE

    class << self
      # Return the equivalent filters.
      #
      # `{logical_operator: "and", conditions: [{name: "lang", comparison_operator: "is", value: "zh"}]}` becomes
      # `{"all" => [{"metadata.lang" => {"in" => ["zh"]}}]}`. If a name is a list, one of its fields must match.
      # `document_name` is the name of the document, every other name an attribute in `metadata`.
      #
      # @param conditions [Hash] the object. `logic` may replace `logical_operator`, `manual` replaces `conditions`,
      #   `key` replaces `name`, and `op` and `operator` replace `comparison_operator`. With the method "disabled" no
      #   condition counts.
      # @param name [String] the name of the object in messages
      # @return [Hash{String=>Object}] filters for {Index#search}, {RetrievalService} and stores; empty if no condition
      #   counts
      # @raise [InvalidInputError] an unknown key or operator, or a value that is not acceptable
      def filters(conditions, name = "conditions")
        given = Base::Validation.mapping(name, conditions)
        Base::Validation.known("key of #{name}", given.keys, [*LOGICS, *LISTS, "method"])
        return {} if disabled?(name, given)

        place, logic = given(name, given, LOGICS)
        joined = place ? JOINED.fetch(Base::Validation.choice(place, logic, JOINED.keys)) : "all"
        place, members = given(name, given, LISTS)
        return {} unless place
        raise Base::Validation.failure(place, members, "a list of conditions") unless members.is_a?(::Array)

        found = members.each_with_index.map { |one, index| condition("#{place}[#{index}]", one) }.compact
        found.empty? ? {} : { joined => found }
      end

      private

      def disabled?(name, given)
        method = given["method"]
        !method.nil? && Base::Validation.choice("#{name}.method", method, METHODS) == "disabled"
      end

      # Return the place and the value of the first of the keys that is present.
      def given(name, given, keys)
        key = keys.find { |one| !given[one].nil? }
        key && ["#{name}.#{key}", given[key]]
      end

      # Return the filters of one condition; nil for one without a value, which does not count, as in Dify.
      def condition(place, condition)
        given = Base::Validation.mapping(place, condition)
        Base::Validation.known("key of #{place}", given.keys, [*NAMES, *OPERATOR_NAMES, "value", *ALSO_WRITTEN])
        written = given.values_at(*OPERATOR_NAMES).compact.first
        written = written.to_s if written.is_a?(::Symbol)
        Base::Validation.known("operator of #{place}", [written], OPERATORS.keys)
        operator = OPERATORS.fetch(written)
        value = given["value"]
        return nil if value.nil? && !["empty", "not empty"].include?(operator)

        wanted = operators("#{place}.value", operator, value, ["in", "not in"].include?(written))
        fields = fields(*(given(place, given, NAMES) || ["#{place}.#{NAMES[0]}", nil]))
        fields.size == 1 ? { fields[0] => wanted } : { "any" => fields.map { |field| { field => wanted } } }
      end

      def fields(place, value)
        single = value.is_a?(::String) || value.is_a?(::Symbol)
        names = single ? [Base::Validation.text(place, value.to_s)] : Base::Validation.texts(place, value)
        if names.empty? || names.include?("")
          raise Base::Validation.failure(place, value, "the name of an attribute, or a list of names")
        end

        names.map { |name| name == DOCUMENT_NAME ? "docnm_kwd" : "metadata.#{name}" }
      end

      # Return the operators of a filter. A missing value is not unequal to any value, as in both systems' databases.
      def operators(place, operator, value, list)
        case operator
        when "empty", "not empty" then { "exists" => operator == "not empty" }
        when "in" then { "in" => values(place, value, list) }
        when "not in" then { "exists" => true, "not" => values(place, value, list) }
        when "not contains" then { "exists" => true, "not" => { "contains" => Base::Validation.text(place, value) } }
        when "contains", "starts_with", "ends_with" then { operator => Base::Validation.text(place, value) }
        else { operator => limit(place, value) }
        end
      end

      def values(place, value, list)
        members(place, value, list).flat_map { |member| alike(place, member) }
      end

      def limit(place, value)
        if value.is_a?(::String)
          text = Base::Validation.text(place, value)
          return NUMBER.match?(text) ? number(text) : text
        end
        Base::Validation.number(place, value)
        value
      end

      # Return the values of a list, which may be written as a text with commas.
      def members(place, value, list)
        return Base::Validation.text(place, value).split(",").map { |part| strip(part) }.reject(&:empty?) if
          list && value.is_a?(::String)
        return [value] unless value.is_a?(::Array)
        raise Base::Validation.failure(place, value, ONE_VALUE) unless list

        value.compact
      end

      def strip(part)
        part.gsub(/\A +| +\z/, "")
      end

      # Return a value, and for a text also the number or the truth value that is written like it.
      def alike(place, value)
        if value.is_a?(::String)
          text = Base::Validation.text(place, value)
          return [text, number(text)] if NUMBER.match?(text)

          return TRUTHS.key?(text) ? [text, TRUTHS[text]] : [text]
        end
        Base::Validation.number(place, value) unless value.equal?(true) || value.equal?(false)
        [value]
      end

      def number(text)
        text.include?(".") ? Float(text) : Integer(text, 10)
      end
    end
  end
end
