# frozen_string_literal: true

module HybridSearch
  module Records
    # Records from where people have them: a list, a stream, one record (IDX-3).
    module RecordSources
      ACCEPTED = "a list or a stream of records, or one record"
      private_constant :ACCEPTED

      module_function

      # @param records [Enumerable, Hash]
      # @return [Array(Enumerable, Integer)] the records one after the other, and how many there are; -1: not known
      # @raise [InvalidInputError] there are none in what was given
      def read(records)
        case records
        when ::Hash then [[records], 1]
        when ::Array then [records, records.size]
        when ::Enumerable then [records, -1]
        else
          raise Base::Validation.failure("records", records, ACCEPTED) unless Base::Validation.parameters?(records)

          [[records], 1]
        end
      end
    end
  end
end
