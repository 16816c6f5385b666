# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # Filters as the condition of a statement (DOC-2): the parts that are the same in every database.
      #
      # Subclasses write the conditions on single fields: `identified(condition)` that a document has one of these ids,
      # `available_one` that it is available, `exists(path)` that it has a field, and `held(condition)` that it has an
      # accepted value, whether or not the field must exist.
      #
      # @abstract
      class SqlFilters
        include Base::ShortInspect

        private

        def of(condition)
          case condition
          when Filters::FilterConditions::Conjunction then joined("and", "true", condition.conditions)
          when Filters::FilterConditions::AllConditions then joined("and", "true", condition.filters)
          when Filters::FilterConditions::AnyCondition then joined("or", "false", condition.filters)
          when Filters::FilterConditions::Negation then "not (#{of(condition.filters)})"
          when Filters::FilterConditions::Missing
            existing = condition.paths.map { |path| Filters::FilterConditions::Exists.new(path, true) }
            "not (#{joined("or", "false", existing)})"
          when Filters::FilterConditions::Identified then identified(condition)
          when Filters::FilterConditions::Available then available(condition)
          when Filters::FilterConditions::Exists then existing(condition.path, condition.wanted)
          else valued(condition)
          end
        end

        def joined(word, empty, conditions)
          texts = conditions.map { |condition| "(#{of(condition)})" }
          texts.empty? ? empty : texts.join(" #{word} ")
        end

        def available(condition)
          wanted = condition.wanted.uniq
          return wanted.empty? ? "false" : "true" if wanted.size != 1

          text = available_one
          wanted[0] ? text : "not #{text}"
        end

        def existing(path, wanted)
          text = exists(path)
          wanted ? text : "not #{text}"
        end

        def valued(condition)
          held = held(condition)
          return held if condition.exists.nil?

          "(#{existing(condition.path, condition.exists)}) and #{held}"
        end
      end
    end
  end
end
