# frozen_string_literal: true

module HybridSearch
  module Stores
    # Counts of a store's content as plain data (DOC-6).
    module StoreStats
      # The estimated number of bytes of a number, of an entry of a list and of an entry of an index.
      NUMBER_BYTES = 8

      module_function

      # Return the counts of documents by field, with an estimate of the memory that they take.
      #
      # @param documents [Enumerator::Lazy<Array(Hash{String=>Object}, Array<String>)>] for all documents, the fields
      #   without vectors, and the names of the vector fields
      # @param sources [Hash{String=>VectorSource}] the stored models and origins of vector fields
      # @return [Hash{String=>Object}]
      def of_documents(documents, sources)
        fields = {}
        counts = ::Hash.new(0)
        memory = { "documents" => 0, "text" => 0, "vectors" => 0 }
        total = 0
        without_vectors = 0
        documents.each do |own, vector_fields|
          total += 1
          memory["documents"] += size(own)
          own.each { |field, value| count(fields, memory, field, value) }
          without_vectors += 1 if vector_fields.empty?
          vector_fields.each do |field|
            counts[field] += 1
            memory["vectors"] += NUMBER_BYTES * (Documents::StoredDocument.vector_dimension(field, field) + 1)
          end
        end
        tokens = fields.each_value.sum { |told| told["tokens"] || 0 } # whole numbers
        { "tokens" => tokens, "fields" => fields.sort.to_h, "vectors" => VectorModels.described(counts, sources, total),
          "without_vectors" => without_vectors, "memory" => { **memory, "total" => memory.values.sum } } # whole numbers
      end

      # @param value [Object] a stored value
      # @return [Integer] its estimated bytes: its UTF-8 for text, 8 for other scalars, and 8 more for each entry
      def size(value)
        case value
        when ::String then value.bytesize
        when ::Hash then value.sum { |key, item| NUMBER_BYTES + size(key) + size(item) } # whole numbers
        when ::Array then value.sum { |item| NUMBER_BYTES + size(item) } # whole numbers
        else NUMBER_BYTES
        end
      end

      def count(fields, memory, field, value)
        told = fields[field] ||= { "documents" => 0, "tokens" => nil }
        told["documents"] += 1
        return unless Documents::StoredDocument.searchable?(field)

        tokens = Documents::StoredDocument.tokens(field, value).size
        told["tokens"] = (told["tokens"] || 0) + tokens
        memory["text"] += NUMBER_BYTES * (tokens + 1)
      end
      private_class_method :count
    end
  end
end
