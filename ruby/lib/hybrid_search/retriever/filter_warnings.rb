# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Explains why filters found nothing: no document has a field, or its stored values have another type (RET-8).
    #
    # A parameter of a web request is a text, which matches no number. The store is queried only after a search that
    # found nothing, with at most four listings of a few documents for each field.
    module FilterWarnings
      # The maximum number of fields that are checked.
      MOST_FIELDS = 8
      # The number of documents whose names are compared with a name that no document has.
      SAMPLE = 64
      # The maximum number of these names.
      MOST_NAMES = 256
      SKIPPED = %w[id available_int not must_not].freeze
      PLURALS = { "number" => "numbers", "text" => "texts", "boolean" => "true or false" }.freeze
      SINGULARS = { "number" => "a number", "text" => "a text", "boolean" => "a boolean" }.freeze
      OF_KIND = {
        "number" => { "gte" => -1.7976931348623157e308 },
        "text" => { "gte" => "" },
        "boolean" => [true, false]
      }.freeze
      NUMBER = /\A-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?\z/
      FLAGS = %w[true false].freeze

      module_function

      # @param store [DocStoreAdapter] the documents
      # @param filters [Hash{String=>Object}] in the names of the store
      # @return [Array<String>] a warning for each field because of which the filters find nothing
      def warnings(store, filters)
        asked = {}
        conditions(filters) { |name, values| (asked[name] ||= []).concat(values) }
        return [] if asked.empty? || store.count.zero?

        asked.first(MOST_FIELDS).filter_map { |name, values| warning(store, name, values) }
      rescue Error
        []
      end

      # Yield the fields that must be present, and the values with which they are compared.
      def conditions(filters, &)
        filters.each do |name, wanted|
          if %w[any all].include?(name)
            wanted.each { |one| conditions(one, &) }
          elsif !SKIPPED.include?(name)
            values = values(wanted)
            yield(name, values) unless values.nil?
          end
        end
      end
      private_class_method :conditions

      # Return the values of a condition; nil if the field may be missing.
      def values(wanted)
        return wanted.is_a?(::Array) ? wanted : [wanted] unless wanted.is_a?(::Hash)
        return if wanted["exists"] == false

        (wanted["in"] || []) + wanted.except("in", "exists").values
      end
      private_class_method :values

      def warning(store, name, values)
        path = Stores::Documents::FieldPath.of(name)
        word = word(name)
        first = listed(store, path, { name => { "exists" => true } }, 1)
        return missing(store, path, word) if first.total.zero?

        stored = path.value(first.fields.fetch(first.ids.first))
        kinds = (stored.is_a?(::Array) ? stored : [stored]).filter_map { |member| kind(member) }
        wanted = values.filter_map { |value| (kind = kind(value)) && [kind, value] }
        return if kinds.empty? || wanted.empty? || wanted.any? { |kind, _| kinds.include?(kind) }
        return if wanted.map(&:first).uniq.any? do |kind|
                    listed(store, path, { name => OF_KIND[kind] }, 1).total.positive?
                  end

        of_other_type(word, *wanted.first, kinds.first)
      end
      private_class_method :warning

      def missing(store, path, word)
        near = nearest(store, path, word)
        "filters[\"#{word}\"]: no document has #{word}#{"; the nearest name is #{near}" if near}"
      end
      private_class_method :missing

      def of_other_type(word, kind, value, stored)
        shown = Base::Validation.describe(value)
        instead = instead(shown, value, stored)
        "filters[\"#{word}\"]: #{shown} is #{SINGULARS[kind]}, but the values of #{word} are #{PLURALS[stored]}" \
          "#{"; use #{instead}" if instead}"
      end
      private_class_method :of_other_type

      # Return the value that was probably meant.
      def instead(shown, value, kind)
        return (%("#{shown}") if NUMBER.match?(shown) || FLAGS.include?(shown)) if kind == "text"
        return unless value.is_a?(::String)

        value if kind == "number" ? NUMBER.match?(value) : FLAGS.include?(value)
      end
      private_class_method :instead

      # Return the most similar name in the objects of some documents.
      def nearest(store, path, word)
        return if path.steps.size == 1

        outer = path.steps.first
        sample = listed(store, path, { outer => { "exists" => true } }, SAMPLE)
        found = sample.ids.flat_map { |id| names(outer, sample.fields.fetch(id)[outer]) }
        Base::Validation.nearest(word, found.map { |name| word(name) }.uniq.sort.first(MOST_NAMES))
      end
      private_class_method :nearest

      def names(name, value)
        return [name] unless value.is_a?(::Hash)

        value.flat_map { |key, item| names("#{name}.#{key}", item) }
      end
      private_class_method :names

      def kind(value)
        Stores::Documents::StoredDocument.scalar_key(value)&.first
      end
      private_class_method :kind

      def listed(store, path, filters, limit)
        store.search(select_fields: [path.steps.first], filters:, match_exprs: [], order_by: [], limit:, offset: 0)
      end
      private_class_method :listed

      # Return the name of a field in records.
      def word(name)
        return "tags.#{name.delete_prefix("tag_feas.")}" if name.start_with?("tag_feas.")

        FieldWords::WORDS.key(name) || name
      end
      private_class_method :word
    end
  end
end
