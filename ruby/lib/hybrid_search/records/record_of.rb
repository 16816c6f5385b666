# frozen_string_literal: true

module HybridSearch
  module Records
    # Makes records from stored documents (IDX-1, IDX-6).
    module RecordOf
      # The field → the key of a record with the same value.
      KEPT = {
        "important_kwd" => "keywords",
        "question_kwd" => "questions",
        "tag_feas" => "tags",
        "pagerank_fea" => "page_rank",
        "kb_id" => "kb_id",
        "mom_id" => "parent",
        "position_int" => "positions",
        "metadata" => "metadata"
      }.freeze
      # The fields that are made from records.
      OF_RECORDS = [
        *KEPT.keys,
        "id", "doc_id", "docnm_kwd", "title", "content_with_weight", "available_int",
        "title_tks", "title_sm_tks", "title_id_tks", "content_ltks", "content_sm_ltks", "content_id_ltks",
        "important_tks", "important_id_tks", "question_tks", "question_id_tks"
      ].to_h { |field| [field, true] }.freeze
      TOKENS = "content_ltks"
      # The parts of records and hits that are included only on request.
      INCLUDED = %w[vector tokens].freeze

      module_function

      # Return the record of a stored document, from which {Index#add} would make the same document again.
      #
      # @param document [Hash{String=>Object}] the stored fields
      # @param include [Array<String>] additional parts of the record, if the document has them: "vector" and "tokens"
      # @return [Hash{String=>Object}]
      def record(document, include = [])
        texts = texts_of(document)
        found = { "id" => document["id"], "content" => texts["content"] }
        found["title"] = texts["title"] if texts.key?("title")
        KEPT.each { |field, key| found[key] = document[field] if document.key?(field) }
        own = document.fetch("doc_id", document["id"])
        found["doc_id"] = own if own != document["id"]
        found["document_name"] = texts["document_name"] if texts.key?("document_name")
        found["available"] = document["available_int"] == 1 if document.key?("available_int")
        vector = include.include?("vector") ? vector_of(document) : nil
        found["vector"] = vector unless vector.nil?
        found["tokens"] = Base::Characters.split_white(document.fetch(TOKENS, "")) if include.include?("tokens")
        found
      end

      # Return the content, the title and the document name of a record, from each of which several fields are made. A
      # document name that equals the title is omitted, because it is the default, and so is an empty one without a
      # title.
      #
      # @param document [Hash{String=>Object}]
      # @return [Hash{String=>Object}]
      def texts_of(document)
        name = document["docnm_kwd"]
        title = document.fetch("title", document.key?("title_tks") ? name : nil)
        texts = { "content" => document.fetch("content_with_weight", "") }
        texts["title"] = title if title.is_a?(::String)
        texts["document_name"] = name if !name.nil? && name != texts.fetch("title", "")
        texts
      end

      # @param document [Hash{String=>Object}]
      # @return [Array<Float>, nil] the vector of a stored document
      def vector_of(document)
        document.find { |field, _| Stores::Documents::StoredDocument.vector_field?(field) }&.last
      end

      # @param document [Hash{String=>Object}]
      # @return [Hash{String=>Object}] the fields of a stored document that are not made from a record, such as those of
      #   a RAGFlow index
      def other_fields(document)
        document.reject { |field, _| OF_RECORDS.key?(field) || Stores::Documents::StoredDocument.vector_field?(field) }
      end

      # @param value [Object] a list of names, or one name
      # @return [Array<String>] the additional parts of hits and records, each once
      # @raise [InvalidInputError] a name is unknown
      def included(value)
        given =
          case value
          when ::String, ::Symbol then [value]
          else value
          end
        names = Base::Validation.names("include", given)
        names.each_with_index.map { |name, place| Base::Validation.choice("include[#{place}]", name, INCLUDED) }.uniq
      end
    end
  end
end
