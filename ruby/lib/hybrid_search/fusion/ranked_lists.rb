# frozen_string_literal: true

module HybridSearch
  module Fusions
    # Checks the ranked lists to fuse (FUS-2).
    module RankedLists
      module_function

      # @param rankings [Array<Array<Array(String, Float)>>]
      # @return [Array<Array<Array(String, Float)>>] the same lists
      # @raise [InvalidInputError] any other value, an id repeated in a list, a score that is not finite
      def checked(rankings)
        raise Base::Validation.failure("rankings", rankings, "a list of ranked lists") unless rankings.is_a?(::Array)

        rankings.each_with_index.map { |ranking, index| checked_list("rankings[#{index}]", ranking) }
      end

      def checked_list(name, ranking)
        raise Base::Validation.failure(name, ranking, "a list of (id, score)") unless ranking.is_a?(::Array)
        return ranking if sound?(ranking)

        seen = {}
        entries = ranking.each_with_index.map { |entry, index| checked_entry(name, index, entry) }
        entries.each do |identifier, _|
          if seen.key?(identifier)
            raise InvalidInputError, "#{name} holds the id #{Base::Validation.describe(identifier)} twice"
          end

          seen[identifier] = true
        end
      end
      private_class_method :checked_list

      # Return whether all entries are valid: a fast check, as nearly all lists are; the slow one finds what is wrong.
      def sound?(ranking)
        seen = {}
        ranking.each do |entry|
          return false unless entry.is_a?(::Array) && entry.size == 2 && sound_entry?(*entry)

          seen[entry[0]] = true
        end
        seen.size == ranking.size
      end
      private_class_method :sound?

      def sound_entry?(identifier, score)
        case identifier
        when ::String
          # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
          ::Float === score && score.finite? && identifier.encoding == ::Encoding::UTF_8 && identifier.valid_encoding?
          # rubocop:enable Style/CaseEquality
        else false
        end
      end
      private_class_method :sound_entry?

      def checked_entry(name, index, entry)
        unless entry.is_a?(::Array) && entry.size == 2
          raise Base::Validation.failure("#{name}[#{index}]", entry, "an id and a score")
        end

        identifier, score = entry
        score = Base::Validation.number("#{name}[#{index}][1]", score) unless score.is_a?(::Float) && score.finite?
        [Base::Validation.text("#{name}[#{index}][0]", identifier), score]
      end
      private_class_method :checked_entry
    end
  end
end
