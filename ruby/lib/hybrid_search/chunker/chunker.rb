# frozen_string_literal: true

module HybridSearch
  # Cuts texts into chunks that follow their structure (CHK-1 … CHK-6): at headings and pages, then at blocks, list
  # items and sentences, and finally at words.
  #
  # A chunker is safe to share between threads if its tokenizer is.
  class Chunker
    include Base::ShortInspect

    autoload :TextChunk, "hybrid_search/chunker/text_chunk"

    DEFAULT_SIZE = 256
    LARGEST_SIZE = 1_000_000
    # The default overlap is the size divided by this number.
    OVERLAP_SHARE = 8
    # The maximum overlap is the size divided by this number.
    MOST_OVERLAP_SHARE = 2
    FORMATS = %w[text markdown].freeze
    TITLE_SEPARATOR = " > "

    # @param size [Integer] maximum number of tokens of a chunk, 1 to a million
    # @param overlap [Integer, nil] maximum number of tokens, in whole sentences, that a chunk repeats from the previous
    #   one, from 0 to half of the size; nil takes an eighth of the size
    # @param tokenizer [#tokenize, #call, nil] counts tokens (CHK-1): an object with `tokenize`, or a function that
    #   returns the tokens of a text or their number. The tokenizer of the embedding model makes sizes exact for it.
    # @param unknown [Hash] refused
    # @raise [InvalidInputError] an option is unknown or not acceptable
    def initialize(size: DEFAULT_SIZE, overlap: nil, tokenizer: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[size overlap tokenizer])
      @size = Base::Validation.integer("size", size, 1, LARGEST_SIZE)
      @overlap = if overlap.nil?
                   @size / OVERLAP_SHARE
                 else
                   Base::Validation.integer("overlap", overlap, 0, @size / MOST_OVERLAP_SHARE)
                 end
      @counter = Chunkers::TokenCounter.new(tokenizer)
      freeze
    end

    # @param text [String]
    # @param format [String, Symbol] the marks of its structure: "text" (blank lines and form feeds) or "markdown"
    # @param title [String, nil] the title of the document; the titles of the chunks begin with it
    # @param unknown [Hash] refused
    # @return [Array<TextChunk>] the chunks of the text in order; a blank text has no chunks
    # @raise [InvalidInputError] an argument is not acceptable, or the tokenizer failed
    def split(text, format: "text", title: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[format title])
      text = Base::Validation.text("text", text)
      kind = Base::Validation.choice("format", format, FORMATS)
      title = title.nil? ? "" : Base::Validation.text("title", title)
      chunks(text, kind, title)
    end

    # Return the records of the chunks of a record, for {Index#add}.
    #
    # Each record has the id `"<id>#<number>"`. Its `doc_id` is the record's id and its `document_name` the record's
    # title, unless the record sets these itself. It has the chunk's content, title and `positions`, its headings and
    # page in `metadata`, and all other keys of the record. A record without text gives one record.
    #
    # @param record [Hash] a record that {Index#add} takes, with neither `vector` nor `positions`
    # @param format [String, Symbol] as for {#split}
    # @param unknown [Hash] refused
    # @return [Array<Hash{String=>Object}>]
    # @raise [InvalidInputError] an argument is not acceptable, or the tokenizer failed
    def chunk_records(record, format: "text", **unknown)
      Base::Validation.known("option", unknown.keys, %w[format])
      kind = Base::Validation.choice("format", format, FORMATS)
      records = Chunkers::ChunkRecords.new(record)
      records.of(chunks(records.content, kind, records.title))
    end

    private

    def inspected
      { size: @size, overlap: @overlap }
    end

    def chunks(text, kind, title)
      lines = Chunkers::SourceLines.read(text)
      sections = kind == "markdown" ? Chunkers::MarkdownReader.new.sections(lines) : Chunkers::PlainText.sections(lines)
      source = Chunkers::SourceText.new(text)
      maker = Chunkers::UnitMaker.new(source, @counter, @size)
      chunks = []
      sections.each { |section| add(chunks, source, title, section, maker.units(section)) }
      chunks
    end

    def add(chunks, source, title, section, units)
      shown = title_of(title, section.headings)
      Chunkers::Packer.new(units, @size, @overlap).spans.each do |span|
        start = units.fetch(span.begin).start
        last = units.fetch(span.end - 1).end
        tokens = 0
        (span.begin...span.end).each { |index| tokens += units.fetch(index).tokens }
        chunks << TextChunk.new(
          number: chunks.size + 1, content: source.part(start, last), title: shown, headings: section.headings,
          page: section.page, start:, end: last, overlap: units.fetch(span.fresh).start - start, tokens:
        )
      end
    end

    # Return the document's title and the headings on one line; a first heading equal to the title is not repeated.
    def title_of(title, headings)
      first = title[0, Chunkers::MarkdownLines::LONGEST_HEADING].to_s
      parts = headings.any? && headings[0] == title ? headings : [first, *headings]
      parts.reject(&:empty?).join(TITLE_SEPARATOR)
    end
  end
end
