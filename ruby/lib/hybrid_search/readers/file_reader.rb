# frozen_string_literal: true

require "json"

module HybridSearch
  module Readers
    # Reads the records of one file of any kind (FIL-2 … FIL-5).
    class FileReader
      include Base::ShortInspect

      SEPARATORS = { FileKinds::CSV => ",", FileKinds::TSV => "\t" }.freeze
      METADATA = Records::RecordMapping::METADATA
      POSITION = "positions"
      REFUSE = Records::RecordMapping::REFUSE
      BLANK = /\A[ \t\r\n]*\z/n
      private_constant :BLANK, :POSITION, :SEPARATORS, :METADATA, :REFUSE

      # @param chunker [Chunker] cuts documents
      # @param mapping [Hash{String=>String}] key of a record → its name in JSON, or the column of a table
      # @param other_keys [String, nil] what to do with names that records do not have, in the form of
      #   {Records::RecordMapping}; by default columns of tables go into `metadata`, and names in JSON are refused
      def initialize(chunker, mapping, other_keys)
        @chunker = chunker
        @mapping = mapping
        @other_keys = other_keys
        @json_mapping = Records::RecordMapping.new(mapping, other_keys.nil? ? REFUSE : other_keys)
      end

      # Yield the records of a file one after the other; a file without text has no records. If the whole file is
      # unreadable, the reason comes last, as a {FileRecord} without a record.
      #
      # @param file [FoundFile]
      # @yieldparam record [FileRecord]
      # @return [Enumerator, void]
      def records(file)
        return enum_for(:records, file) unless block_given?

        # Records are requested one by one, so that errors of the block are not taken for those of the file.
        found = Enumerator.new { |made| read(file, made) }
        loop do
          record = begin
            found.next
          rescue InvalidInputError, ConfigurationError => e
            break yield FileRecord.new(path: file.path, number: 0, reason: e.message)
          end
          yield record
        end
      end

      private

      def read(file, made)
        if FileKinds::ONLY_PYTHON.include?(file.kind)
          raise ConfigurationError, "#{FileKinds.extension_of(file.path)} files are read by Python's program alone: " \
                                    "pip install 'hybrid-search[files]'"
        end
        return rows(file, made) if FileKinds::TABLES.include?(file.kind)
        return chunks(file, made) if FileKinds::DOCUMENTS.include?(file.kind)

        objects(file, made)
      end

      def chunks(file, made)
        found = text_of(file)
        chunks = cut(file.path, found, found.title)
        return unless chunks.first.key?(POSITION) # there is no text

        chunks = cut(file.path, found, file.path.rpartition("/").last) if chunks.first["document_name"].to_s.empty?
        chunks.each.with_index(1) do |chunk, number|
          made << FileRecord.new(path: file.path, number:, record: chunk)
        end
      end

      def cut(path, found, title)
        record = { "id" => path, "title" => title, "content" => found.text,
                   METADATA => { TableRows::PATH => path } }
        @chunker.chunk_records(record, format: found.format)
      end

      def text_of(file)
        format = file.kind == FileKinds::MARKDOWN ? "markdown" : "text"
        FileText.new(text: FileBytes.read_text(file.path), format:)
      end

      def rows(file, made)
        FileBytes.opened(file.path) do |stream|
          rows = TableCells.rows(FileBytes.lines(stream), SEPARATORS.fetch(file.kind))
          table = TableRows.new(file.path, file.path, @mapping, @other_keys.nil? ? METADATA : @other_keys)
          table.records(rows) { |number, record| made << FileRecord.new(path: file.path, number:, record:) }
        end
      end

      def objects(file, made)
        case file.kind
        when FileKinds::JSON then values(file.path, made)
        when FileKinds::UNKNOWN
          raise InvalidInputError, "is not of a readable kind: #{FileKinds::EXTENSIONS.keys.join(" ")}"
        when FileKinds::JSONL_GZ
          FileBytes.opened(file.path) { |stream| json_lines(file.path, FileBytes.lines(GzipStream.new(stream)), made) }
        else
          FileBytes.opened(file.path) { |stream| json_lines(file.path, FileBytes.lines(stream), made) }
        end
      end

      # Add the object in a file of JSON, or the objects in its list.
      def values(path, made)
        value = parsed(FileBytes.read_text(path))
        (value.is_a?(Array) ? value : [value]).each.with_index(1) do |each, number|
          made << if each.is_a?(::Hash)
                    FileRecord.new(path:, number:, record: @json_mapping.record(each))
                  else
                    FileRecord.new(path:, number:, reason: "not a JSON object")
                  end
        end
      end

      def parsed(text)
        Base::StrictJson.parse(text)
      rescue JSON::JSONError
        raise InvalidInputError, "is not valid JSON"
      end

      def json_lines(path, lines, made)
        number = 0
        lines.each do |data, whole|
          number += 1
          if !whole
            made << FileRecord.new(path:, number:, reason: "the line has more than #{FileBytes::LONGEST_LINE} bytes")
          elsif !data.match?(BLANK)
            made << json_line(path, number, data)
          end
        end
      end

      def json_line(path, number, data)
        text = data.dup.force_encoding(Encoding::UTF_8)
        shown = text.scrub("\uFFFD").sub(/[\r\n]+\z/, "")
        return FileRecord.new(path:, number:, text: shown, reason: "not valid UTF-8") unless text.valid_encoding?

        content = Base::StrictJson.parse_object(text)
        return FileRecord.new(path:, number:, text: shown, reason: "not a JSON object") if content.nil?

        FileRecord.new(path:, number:, record: @json_mapping.record(content))
      end
    end
  end
end
