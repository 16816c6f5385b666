# frozen_string_literal: true

module HybridSearch
  # Cuts texts into chunks that follow their structure (CHK-1 … CHK-6): at headings and pages, then at blocks, list
  # items, sentences, and last at words.
  #
  # A chunker may be used by several threads at once, if its tokenizer may.
  class Chunker
    include Base::ShortInspect

    autoload :TextChunk, "hybrid_search/chunker/text_chunk"

    DEFAULT_SIZE = 256
    LARGEST_SIZE = 1_000_000
    # Without an overlap of its own a chunker takes the size divided by this.
    OVERLAP_SHARE = 8
    # No overlap is larger than the size divided by this.
    MOST_OVERLAP_SHARE = 2
    FORMATS = %w[text markdown].freeze
    TITLE_SEPARATOR = " > "

    # @param size [Integer] the most tokens of a chunk, 1 to a million
    # @param overlap [Integer, nil] the most tokens of whole sentences that a chunk repeats of the one before, from 0 to
    #   half of the size; nil takes an eighth of the size
    # @param tokenizer [#tokenize, #call, nil] counts tokens (CHK-1): an object with `tokenize`, or a function that
    #   returns the tokens of a text or their number. The one of the embedding model makes sizes exact for it.
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
    # @param format [String, Symbol] what marks its structure: "text", where blank lines and form feeds do, or
    #   "markdown"
    # @param title [String, nil] the title of the document; it leads the titles of the chunks
    # @param unknown [Hash] refused
    # @return [Array<TextChunk>] the chunks of the text in order; none where it is blank
    # @raise [InvalidInputError] an argument is not acceptable, or the tokenizer failed
    def split(text, format: "text", title: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[format title])
      text = Base::Validation.text("text", text)
      kind = Base::Validation.choice("format", format, FORMATS)
      title = title.nil? ? "" : Base::Validation.text("title", title)
      chunks(text, kind, title)
    end

    # The records of the chunks of a record, for {Index#add}.
    #
    # Each has the id `"<id>#<number>"`, the record's id as `doc_id`, unless it has one, and its title as
    # `document_name`, likewise; the chunk's content, title and `positions`; its headings and page in `metadata`; and
    # all other keys of the record. A record with no text gives one record.
    #
    # @param record [Hash] a record as {Index#add} takes it, with neither `vector` nor `positions`
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

    # The document's title and the headings in one line; a first heading that is the title counts once.
    def title_of(title, headings)
      first = title[0, Chunkers::MarkdownLines::LONGEST_HEADING].to_s
      parts = headings.any? && headings[0] == title ? headings : [first, *headings]
      parts.reject(&:empty?).join(TITLE_SEPARATOR)
    end
  end
end
