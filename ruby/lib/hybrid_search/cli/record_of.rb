# frozen_string_literal: true

module HybridSearch
  module Commanding
    # The record of a stored document: what `index` makes that document of again (CUR-5, IDX-1).
    #
    # A title is stored as its tokens alone. Where they are those of the document's name, that is the title, else the
    # tokens themselves are.
    class RecordOf
      include ShortInspect

      # Field => key of a record, where both hold the same.
      KEPT = {
        "content_with_weight" => "content",
        "important_kwd" => "keywords",
        "question_kwd" => "questions",
        "tag_feas" => "tags",
        "pagerank_fea" => "page_rank",
        "kb_id" => "kb_id",
        "position_int" => "positions",
        "metadata" => "metadata"
      }.freeze
      VECTOR = /\Aq_.*_vec\z/m
      private_constant :KEPT, :VECTOR

      # @param vectors [Boolean] whether records bring their vectors
      def initialize(vectors)
        @vectors = vectors
        @builder = DocumentBuilder.new
      end

      # @param document [Hash{String=>Object}]
      # @return [Hash{String=>Object}] the record of a stored document
      def record(document)
        record = { "id" => document["id"], "content" => "" }
        name = document.fetch("docnm_kwd", "")
        tokens = document["title_tks"]
        record["title"] = title?(name, tokens) ? name : tokens if tokens
        KEPT.each { |field, key| record[key] = document[field] if document.key?(field) }
        own = document.fetch("doc_id", document["id"])
        record["doc_id"] = own if own != document["id"]
        record["document_name"] = name if name != record.fetch("title", "")
        record["available"] = document["available_int"] == 1 if document.key?("available_int")
        document.each { |field, value| record["vector"] = value if field.match?(VECTOR) } if @vectors
        record
      end

      private

      def title?(name, tokens)
        @builder.build({ "id" => "-", "content" => "", "title" => name })["title_tks"] == tokens
      end
    end
  end
end
