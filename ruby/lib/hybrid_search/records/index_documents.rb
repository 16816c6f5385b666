# frozen_string_literal: true

module HybridSearch
  module Records
    # What reads and removes the documents of an index (IDX-6).
    module IndexDocuments
      # The record of a document, in the words in which it was added.
      #
      # @param id [String, Symbol, Integer] its id
      # @param include [Array<String>] "vector" and "tokens", what the record has besides
      # @param unknown [Hash] refused
      # @return [Hash{String=>Object}, nil] nil if there is none
      def get(id, include: [], **unknown)
        get_many([OwnValues.identifier("id", id)], include:, **unknown)[0]
      end

      # @param ids [Array<String, Symbol, Integer>]
      # @param include [Array<String>] as for {#get}
      # @param unknown [Hash] refused
      # @return [Array<Hash{String=>Object}, nil>] the records of documents in the order of `ids`, nil for each that is
      #   not there; see {#get}
      def get_many(ids, include: [], **unknown)
        Validation.known("option", unknown.keys, ["include"])
        names = RecordOf.included(include)
        documents = @store.get_many(OwnValues.identifiers("ids", ids), names.include?("vector") ? nil : [])
        documents.map { |document| document && RecordOf.record(document, names) }
      end

      # @param id [String, Symbol, Integer]
      # @return [Boolean] whether a document is there
      def exists?(id)
        !@store.get_many([OwnValues.identifier("id", id)], [])[0].nil?
      end

      # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` count too
      # @param unknown [Hash] refused
      # @return [Integer] the number of documents, or of those that pass filters
      def count(filters: nil, **unknown)
        Validation.known("option", unknown.keys, ["filters"])
        filters.nil? ? @store.count : Selection.count(@store, Selection.read(filters))
      end

      # Remove documents by their ids, or all that pass filters; ids that are not there are skipped.
      #
      # @param ids [Array<String, Symbol, Integer>, String, Symbol, Integer, nil] ids, or one id
      # @param filters [Hash{String=>Object}, nil] as for {#search}, but documents that are not `available` are removed
      #   too. Batch by batch
      # @param unknown [Hash] refused
      # @return [Integer] the number of documents that were removed
      # @raise [InvalidInputError] neither ids nor filters, or both; filters without a condition ({#clear} removes all)
      def delete(ids = nil, filters: nil, **unknown)
        Validation.known("option", unknown.keys, ["filters"])
        raise InvalidInputError, "delete takes either ids or filters" if ids.nil? == filters.nil?

        if ids.nil?
          chosen = Selection.read(filters, may_be_empty: false)
          return Selection.delete(@store, @writer, chosen)
        end

        several = [::String, ::Symbol, ::Integer].any? { |type| type === ids } ? [ids] : ids # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
        @writer.delete(OwnValues.identifiers("ids", several))
      end

      # Remove all documents, batch by batch.
      #
      # @return [Integer] the number of documents that were removed
      def clear
        Selection.delete(@store, @writer, {})
      end
    end
  end
end
