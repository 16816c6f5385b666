# frozen_string_literal: true

module HybridSearch
  module Records
    # Reads and removes the documents of an index (IDX-6).
    module IndexDocuments
      NOT_GIVEN = Embeddings::NOT_GIVEN
      private_constant :NOT_GIVEN

      # Return the record of a document, in the form in which it was added.
      #
      # @param id [String, Symbol, Integer] its id
      # @param include [Array<String>] additional parts of the record: "vector" and "tokens"
      # @param unknown [Hash] refused
      # @return [Hash{String=>Object}, nil] nil if there is none
      def get(id = NOT_GIVEN, *more, include: [], **unknown)
        id = Base::Validation.argument("get", "id", [id, *more], unknown, ["include"])
        if ::Array === id || ::Set === id # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
          problem = Base::Validation.failure("id", id, "a text or an integer")
          raise InvalidInputError, "#{problem.message}; get_many takes a list of ids"
        end

        get_many([Base::InputValues.identifier("id", id)], include:)[0]
      end

      # @param ids [Array<String, Symbol, Integer>]
      # @param include [Array<String>] as for {#get}
      # @param unknown [Hash] refused
      # @return [Array<Hash{String=>Object}, nil>] the records of documents in the order of `ids`, nil for a document
      #   that is not stored; see {#get}
      def get_many(ids = NOT_GIVEN, *more, include: [], **unknown)
        ids = Base::Validation.argument("get_many", "ids", [ids, *more], unknown, ["include"])
        names = RecordOf.included(include)
        documents = @store.get_many(Base::InputValues.identifiers("ids", ids), names.include?("vector") ? nil : [])
        documents.map { |document| document && RecordOf.record(document, names) }
      end

      # @param id [String, Symbol, Integer]
      # @return [Boolean] whether a document is stored
      def exists?(id = NOT_GIVEN, *more, **unknown)
        id = Base::Validation.argument("exists?", "id", [id, *more], unknown, [])
        !@store.get_many([Base::InputValues.identifier("id", id)], [])[0].nil?
      end

      # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` count too
      # @param unknown [Hash] refused
      # @return [Integer] the number of documents, or of those that pass filters
      def count(*more, filters: nil, **unknown)
        Base::Validation.no_argument("count", more, unknown, ["filters"])
        filters.nil? ? @store.count : Selection.count(@store, Selection.read(filters))
      end

      # Remove documents by their ids, or all that pass filters; ids that are not stored are skipped.
      #
      # @param ids [Array<String, Symbol, Integer>, String, Symbol, Integer, nil] ids, or one id
      # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` are removed
      #   too. Documents are removed batch by batch
      # @param unknown [Hash] refused
      # @return [Integer] the number of removed documents
      # @raise [InvalidInputError] neither ids nor filters, or both; or filters without a condition ({#clear} removes
      #   all)
      def delete(ids = NOT_GIVEN, *more, filters: nil, **unknown)
        ids = Base::Validation.argument("delete", "ids", [ids, *more], unknown, ["filters"], default: nil)
        raise InvalidInputError, "delete takes either ids or filters" if ids.nil? == filters.nil?

        if ids.nil?
          chosen = Selection.read(filters, may_be_empty: false)
          return Selection.delete(@store, @writer, chosen)
        end

        several = [::String, ::Symbol, ::Integer].any? { |type| type === ids } ? [ids] : ids # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
        @writer.delete(Base::InputValues.identifiers("ids", several))
      end

      # Remove all documents, batch by batch.
      #
      # @return [Integer] the number of removed documents
      def clear(*more, **unknown)
        Base::Validation.no_argument("clear", more, unknown, [])
        Selection.delete(@store, @writer, {})
      end
    end
  end
end
