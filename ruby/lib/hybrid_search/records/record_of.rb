# frozen_string_literal: true

module HybridSearch
  module Records
    # Stored documents in the words of records (IDX-1, IDX-6).
    module RecordOf
      # Field => key of a record, where both hold the same.
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
      # The fields that are made of records.
      OF_RECORDS = [
        *KEPT.keys,
        "id", "doc_id", "docnm_kwd", "title", "content_with_weight", "available_int",
        "title_tks", "title_sm_tks", "title_id_tks", "content_ltks", "content_sm_ltks", "content_id_ltks",
        "important_tks", "important_id_tks", "question_tks", "question_id_tks"
      ].to_h { |field| [field, true] }.freeze
      TOKENS = "content_ltks"
      # What records and hits have only where they are asked to.
      INCLUDED = %w[vector tokens].freeze

      module_function

      # The record of a stored document: {Index#add} makes that document of it again.
      #
      # @param document [Hash{String=>Object}] the stored fields
      # @param include [Array<String>] "vector" and "tokens", what the record has besides where the document has it
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

      # The content, the title and the document name of a record; several fields are made of each. A name that equals
      # its title follows it, and so does an empty name where there is no title: neither is given.
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
      # @return [Hash{String=>Object}] the fields of a stored document that no record makes, such as those of a RAGFlow
      #   index
      def other_fields(document)
        document.reject { |field, _| OF_RECORDS.key?(field) || Stores::Documents::StoredDocument.vector_field?(field) }
      end

      # @param value [Object] a list of names, or one name
      # @return [Array<String>] what hits and records carry besides, each once
      # @raise [InvalidInputError] another name
      def included(value)
        plain =
          case value
          when ::String, ::Symbol then [value.to_s]
          when ::Array then value.map { |one| ::Symbol === one ? one.to_s : one } # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
          else value
          end
        names = Base::Validation.texts("include", plain)
        names.each_with_index.map { |name, place| Base::Validation.choice("include[#{place}]", name, INCLUDED) }.uniq
      end
    end
  end
end
