# frozen_string_literal: true

module HybridSearch
  module Records
    # Makes the stored fields of records, except for their vectors (IDX-1).
    class RecordFields
      include Base::ShortInspect

      FILE_ENDING = /\.[A-Za-z]+\z/
      # The keys whose texts are cut into tokens.
      TEXTS = [%w[content], %w[title], %w[keywords], %w[questions]].freeze
      TABLE_TAG = %r{</?(?:table|td|caption|tr|th)(?: [^<>]{0,12})?>}

      # @param tokenizer [#tokenize, #fine_grained] cuts texts into tokens
      def initialize(tokenizer)
        @analyzer = Base::Kernels.kernel("analyzer").new(tokenizer)
        @makers = [
          [%w[id], ->(record) { { "id" => record["id"] } }],
          [%w[doc_id], ->(record) { { "doc_id" => record.fetch("doc_id", record["id"]) } }],
          [%w[title document_name], method(:names)],
          [%w[content], method(:content)],
          [%w[kb_id], ->(record) { { "kb_id" => record["kb_id"] } }],
          [%w[parent], ->(record) { { "mom_id" => record["parent"] } }],
          [%w[title], method(:title)],
          [%w[keywords], method(:keywords)],
          [%w[questions], method(:questions)],
          [%w[tags], ->(record) { { "tag_feas" => record["tags"] } }],
          [%w[page_rank], ->(record) { { "pagerank_fea" => record["page_rank"] } }],
          [%w[positions], ->(record) { { "position_int" => record["positions"] } }],
          [%w[available], method(:availability)],
          [%w[metadata], ->(record) { { "metadata" => record["metadata"] } }]
        ]
      end

      # @param record [Hash{String=>Object}] a checked record
      # @return [Hash{Array<String>=>Hash}] keys → the fields that are made from the texts of the record alone: most of
      #   the work, for another process
      def of_texts(record)
        makers = @makers.select { |keys, _| TEXTS.include?(keys) && record.key?(keys.first) }
        makers.to_h.transform_values { |make| make.call(record) }
      end

      # @param keys [Array<String>] keys of a record
      # @param record [Hash{String=>Object}] a checked record, with all other values from which these fields are made
      # @param ready [Hash{Array<String>=>Hash}, nil] the result of {#of_texts} for the record, if it is known
      # @return [Hash{String=>Object}] the fields that depend on the keys; nil if the record does not have the key
      def made_of(keys, record, ready = nil)
        @makers.each_with_object({}) do |(parts, make), made|
          next unless parts.any? { |key| keys.include?(key) }

          made.update(ready&.key?(parts) ? ready.fetch(parts) : make.call(record))
        end
      end

      private

      def names(record)
        title = record["title"]
        name = record.fetch("document_name", title.nil? ? "" : title)
        { "docnm_kwd" => name, "title" => name == title ? nil : title }
      end

      def content(record)
        text = record["content"].gsub(TABLE_TAG, " ")
        tokens = @analyzer.tokens(text)
        whole, parts = joined(tokens)
        { "content_with_weight" => record["content"], "content_ltks" => whole, "content_sm_ltks" => parts,
          "content_id_ltks" => identified(tokens, text) }
      end

      def title(record)
        return absent(%w[title_tks title_sm_tks title_id_tks]) unless record.key?("title")

        text = record["title"].sub(FILE_ENDING, "")
        tokens = @analyzer.tokens(text)
        whole, parts = joined(tokens)
        { "title_tks" => whole, "title_sm_tks" => parts, "title_id_tks" => identified(tokens, text, record["title"]) }
      end

      def keywords(record)
        return absent(%w[important_kwd important_tks important_id_tks]) unless record.key?("keywords")

        text = record["keywords"].join(" ")
        tokens = @analyzer.tokens(text)
        { "important_kwd" => record["keywords"], "important_tks" => tokens.join(" "),
          "important_id_tks" => identified(tokens, text) }
      end

      def questions(record)
        return absent(%w[question_kwd question_tks question_id_tks]) unless record.key?("questions")

        text = record["questions"].join("\n")
        tokens = @analyzer.tokens(text)
        { "question_kwd" => record["questions"], "question_tks" => tokens.join(" "),
          "question_id_tks" => identified(tokens, text) }
      end

      # Return tokens and their parts in the form of a field; equal ones are the same text.
      def joined(tokens)
        parts = @analyzer.fine_grained(tokens)
        whole = tokens.join(" ")
        [whole, parts == tokens ? whole : parts.join(" ")]
      end

      def availability(record)
        return { "available_int" => nil } unless record.key?("available")

        { "available_int" => record["available"] ? 1 : 0 }
      end

      def absent(fields)
        fields.to_h { |field| [field, nil] }
      end

      # Return the identifiers of a text that are not among its tokens, in the form of a field.
      #
      # @param tokens [Array<String>] the tokens of the text
      # @param text [String]
      # @param whole [String] a second text, whose identifiers count only if the first one does not contain them
      # @return [String, nil] nil if there are no such identifiers
      def identified(tokens, text, whole = text)
        found = @analyzer.identifiers(text, tokens)
        found += @analyzer.identifiers(whole, [*tokens, *found]) unless whole == text
        found.empty? ? nil : found.join(" ")
      end
    end
  end
end
