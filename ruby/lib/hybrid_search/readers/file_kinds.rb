# frozen_string_literal: true

module HybridSearch
  module Readers
    # The kinds of files that can be read, by the ends of their names (FIL-2).
    module FileKinds
      TEXT = "text"
      MARKDOWN = "markdown"
      HTML = "html"
      PDF = "pdf"
      DOCX = "docx"
      CSV = "csv"
      TSV = "tsv"
      XLSX = "xlsx"
      JSON = "json"
      JSONL = "jsonl"
      JSONL_GZ = "jsonl.gz"
      UNKNOWN = "unknown"
      # The kinds whose files are one document each, which is cut into chunks.
      DOCUMENTS = [TEXT, MARKDOWN, HTML, PDF, DOCX].freeze
      # The kinds whose rows are documents.
      TABLES = [CSV, TSV, XLSX].freeze
      # The kinds that only Python's libraries can read.
      ONLY_PYTHON = [HTML, PDF, DOCX, XLSX].freeze
      # The end of a file's name, in lower case → its kind.
      EXTENSIONS = {
        ".txt" => TEXT,
        ".md" => MARKDOWN,
        ".markdown" => MARKDOWN,
        ".html" => HTML,
        ".htm" => HTML,
        ".pdf" => PDF,
        ".docx" => DOCX,
        ".csv" => CSV,
        ".tsv" => TSV,
        ".xlsx" => XLSX,
        ".json" => JSON,
        ".jsonl" => JSONL,
        ".ndjson" => JSONL,
        ".jsonl.gz" => JSONL_GZ
      }.freeze

      module_function

      # @param name [String]
      # @return [String, nil] the kind of a file by its name, ASCII case ignored; nil for an unknown one
      def kind_of(name)
        lower = name.rpartition("/").last.downcase(:ascii)
        EXTENSIONS.find { |ending, _| lower.end_with?(ending) && lower != ending }&.last
      end

      # @param name [String]
      # @return [String] the end of a file's name from its last full stop on; "" if there is none
      def extension_of(name)
        base = name.rpartition("/").last.sub(/\A\.+/, "")
        base.include?(".") ? ".#{base.rpartition(".").last}" : ""
      end
    end
  end
end
