# frozen_string_literal: true

require "json"

module HybridSearch
  module Server
    # Parses the options of a search from a query string, each by its type (CUR-6).
    module QueryString
      # kinds:begin: made by `bin/conformance make http`
      # Option of a search => how a query string holds it.
      KINDS = {
        "vector" => "numbers",
        "limit" => "integer",
        "page" => "text",
        "cursor" => "text",
        "candidates" => "integer",
        "min_score" => "number",
        "min_cosine" => "number",
        "vector_similarity_weight" => "number",
        "rank_feature" => "json",
        "rank_feature_recall" => "boolean",
        "filters" => "json",
        "order_by" => "order",
        "match_all" => "boolean",
        "highlight" => "boolean",
        "fragments" => "json",
        "facets" => "list",
        "facet_limit" => "integer",
        "explain" => "boolean",
        "include" => "list",
        "context" => "integer",
        "parents" => "text",
        "collapse" => "text",
        "diversity" => "number",
        "fold_duplicates" => "number",
        "profile" => "text",
        "text_leg" => "text",
        "fusion" => "text",
        "weights" => "text",
        "rrf_k" => "number",
        "ranking" => "text",
        "on_index_change" => "text"
      }.freeze
      # kinds:end
      # The name of the query string in messages.
      PLACE = "query string"
      QUESTION = "q"
      FILTER = "filter."
      # The operators that may follow the name of a filter after a dot.
      OPERATORS = %w[gt gte lt lte contains starts_with ends_with not exists in].freeze
      ACCEPTED = [QUESTION, *KINDS.keys, "#{FILTER}NAME"].freeze
      BOOLEANS = { "true" => true, "True" => true, "1" => true,
                   "false" => false, "False" => false, "0" => false }.freeze
      ESCAPE = /%(\h\h)/n
      private_constant :ESCAPE

      module_function

      # Return the options of a search. A value that does not fit the type of its option stays a text; the check of the
      # option then refuses it by name. Parameters without a value count as not given, except for the question, filters,
      # true and false.
      #
      # @param text [String] a query string, percent-encoded
      # @param most [Integer] the limit of its bytes
      # @return [Hash{String=>Object}] the options of a search, including its `question`
      # @raise [HttpProblem] the query string is too long, or not UTF-8
      # @raise [InvalidInputError] a parameter is unknown, or a filter is given twice
      def search_options(text, most)
        filters, named = pairs(text, most).partition { |name, _| name.start_with?(FILTER) }
        Base::Validation.known("parameter", named.map(&:first), ACCEPTED)
        options = named.filter_map { |name, value| ["question", value] if name == QUESTION }.to_h
        KINDS.each do |name, kind|
          given = named.filter_map { |other, value| value if other == name && (!value.empty? || kind == "boolean") }
          options[name] = value(name, kind, given, most) unless given.empty?
        end
        conditions = filters.map { |name, value| condition(name.delete_prefix(FILTER), value) }
        plain = Stores::Filters::FilterTexts.filters(conditions) do |name, operator, _|
          shown = Base::Validation.describe("#{FILTER}#{name}.#{operator}")
          InvalidInputError.new("parameter #{shown} is given twice")
        end
        return options if plain.empty?

        { **options, "filters" => Stores::Filters::FilterTexts.joined(options["filters"], plain) }
      end

      # @return [Array<Object>] the names of the further parts wanted in a record; arguments and errors are those of
      #   {search_options}
      def included_names(text, most)
        pairs = pairs(text, most)
        Base::Validation.known("parameter", pairs.map(&:first), ["include"])
        list(pairs.filter_map { |_, value| value unless value.empty? }, most)
      end

      # Refuse parameters of a request that has a body; arguments and errors are those of {search_options}.
      #
      # @return [void]
      def check_empty(text, most)
        name, = pairs(text, most).first
        return if name.nil?

        raise InvalidInputError,
              "unknown parameter #{Base::Validation.describe(name)}: the question is in the body here"
      end

      # Return the names and values of a query string, decoded as the values of forms are.
      def pairs(text, most)
        raise HttpProblem.new("uri_too_long", most.to_s) if text.bytesize > most

        parts = text.b.split("&").reject(&:empty?).map { |part| part.partition("=") }
        parts.map { |name, _, value| [decoded(name), decoded(value)] }
      end
      private_class_method :pairs

      def decoded(text)
        bytes = text.tr("+", " ").gsub(ESCAPE) { [::Regexp.last_match(1)].pack("H2") }
        decoded = bytes.force_encoding(::Encoding::UTF_8)
        raise HttpProblem.new("invalid_utf8", PLACE) unless decoded.valid_encoding?

        decoded
      end
      private_class_method :decoded

      # Return the value of an option; of several values the last one counts, unless it is a list.
      def value(name, kind, given, most)
        case kind
        when "list" then list(given, most)
        when "numbers" then list(given, most).map { |item| item.is_a?(::String) ? number(item) : item }
        when "order" then list(given, most).map { |item| item.is_a?(::String) ? direction(item) : item }
        when "integer" then Base::ScalarText.integer(given.last) || given.last
        when "number" then number(given.last)
        when "boolean" then BOOLEANS.fetch(given.last, given.last)
        when "json" then json(name, given.last, most)
        else given.last
        end
      end
      private_class_method :value

      def number(text)
        Base::ScalarText.number(text) || text
      end
      private_class_method :number

      # Return the members of a list: separated by commas, in several parameters, or as JSON.
      def list(given, most)
        given.flat_map do |text|
          (json_list(text, most) if text.start_with?("[", "{")) || items(text)
        end
      end
      private_class_method :list

      def items(text)
        text.empty? ? [""] : text.split(",", -1)
      end
      private_class_method :items

      def json_list(text, most)
        value = HttpJson.value(PLACE, text, most)
        value.is_a?(::Array) ? value : [value]
      rescue JSON::JSONError
        nil
      end
      private_class_method :json_list

      def json(name, text, most)
        HttpJson.value(PLACE, text, most)
      rescue JSON::JSONError
        raise Base::Validation.failure(name, text, "strict JSON in a query string")
      end
      private_class_method :json

      def direction(item)
        name, colon, direction = item.rpartition(":")
        colon.empty? ? item : [name, direction]
      end
      private_class_method :direction

      # Return the parts of a condition: `filter.NAME=VALUE`, or `filter.NAME.OPERATOR=VALUE`.
      def condition(written, text)
        name, _, operator = written.rpartition(".")
        !name.empty? && OPERATORS.include?(operator) ? [name, operator, text] : [written, "", text]
      end
      private_class_method :condition
    end
  end
end
