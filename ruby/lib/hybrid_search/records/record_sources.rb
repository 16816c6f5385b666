# frozen_string_literal: true

module HybridSearch
  module Records
    # Reads records from a list, a stream or a single record (IDX-3).
    module RecordSources
      ACCEPTED = "a list or a stream of records, or one record"
      private_constant :ACCEPTED

      module_function

      # @param records [Enumerable, Hash]
      # @return [Array(Enumerable, Integer)] the records one after the other, and their number; -1 if it is not known
      # @raise [InvalidInputError] the value contains no records
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
