# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # Makes the records of the chunks of a record (CHK-6).
    class ChunkRecords
      include Base::ShortInspect

      NUMBER_SIGN = "#"
      # The key of a record for its positions in its document.
      POSITION = "positions"
      # The keys of a record whose values describe the whole document, and not one of its chunks.
      OF_THE_WHOLE = [POSITION, "vector"].freeze
      # Attributes that chunks have in addition to those of the record.
      MADE = %w[headings page].freeze
      private_constant :NUMBER_SIGN, :POSITION, :OF_THE_WHOLE, :MADE

      # @param record [Hash] a record that {Index#add} takes
      # @raise [InvalidInputError] as for {DocumentBuilder#build}; or a key that only chunks may have
      def initialize(record)
        @record = Records::RecordValues.whole("record", record)
        OF_THE_WHOLE.each do |key|
          raise InvalidInputError, "record.#{key} is that of the whole document: omit it" if @record.key?(key)
        end
        MADE.each do |key|
          next unless @record.fetch("metadata", {}).key?(key)

          raise InvalidInputError, "record.metadata.#{key} is what chunks have: give it another name"
        end
      end

      # @return [String] the text to cut
      def content
        @record.fetch("content")
      end

      # @return [String] the document's title, "" if it has none
      def title
        @record.fetch("title", "")
      end

      # @param chunks [Array<Chunker::TextChunk>]
      # @return [Array<Hash{String=>Object}>] a record for each chunk; without chunks, one record with the record's own
      #   content
      # @raise [InvalidInputError] the id of a chunk is too long
      def of(chunks)
        name = @record.fetch("document_name", title)
        name = chunks.find { |chunk| chunk.headings.any? }&.headings&.first.to_s if name.empty?
        shared = { **@record, "doc_id" => @record.fetch("doc_id", @record["id"]) }
        shared["document_name"] = name unless name.empty?
        return [{ **shared, "id" => id(1) }] if chunks.empty?

        chunks.map { |chunk| one(shared, chunk) }
      end

      private

      def one(shared, chunk)
        made = { **shared, "id" => id(chunk.number), "content" => chunk.content }
        made["title"] = chunk.title unless chunk.title.empty?
        made[POSITION] = chunk.positions
        metadata = { **@record.fetch("metadata", {}) }
        metadata["headings"] = chunk.headings if chunk.headings.any?
        metadata["page"] = chunk.page unless chunk.page.nil?
        made["metadata"] = metadata if metadata.any?
        made
      end

      def id(number)
        Stores::Documents::StoredDocument.accept_identifier("the id of a chunk",
                                                            "#{@record["id"]}#{NUMBER_SIGN}#{number}")
      end
    end
  end
end
