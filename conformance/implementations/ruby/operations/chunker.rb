# frozen_string_literal: true

# Operations of the chunker (CHK-1 … CHK-6).

require "digest"

# An object with `tokenize`: words between blanks.
class BlankTokenizer
  def tokenize(text)
    text.split(/ /, -1)
  end
end

# What may be plugged in, by its name.
tokenizers = {
  "words" => BlankTokenizer.new,
  "letters" => lambda(&:chars),
  "length" => lambda(&:length),
  "nothing" => ->(_text) { 0 },
  "text" => ->(text) { text },
  "negative" => ->(_text) { -1 },
  "true" => ->(_text) { true },
  "half" => ->(_text) { 0.5 },
  "failing" => ->(_text) { raise "no tokens today" }
}

cuts = {
  "sentences" => HybridSearch::Chunkers::Sentences.method(:sentences),
  "clauses" => HybridSearch::Chunkers::Sentences.method(:clauses),
  "tokens" => HybridSearch::Chunkers::TokenCounter.method(:tokens)
}

chunker = lambda do |params|
  options = params["options"].transform_keys(&:to_sym)
  options[:tokenizer] = tokenizers.fetch(params["tokenizer"]) unless params["tokenizer"].nil?
  HybridSearch::Chunker.new(**options)
end

# The sections of a text: headings, page, and kind, level and lines of each passage.
structure = lambda do |text, form|
  lines = HybridSearch::Chunkers::SourceLines.read(text)
  reader = form == "markdown" ? HybridSearch::Chunkers::MarkdownReader.new : HybridSearch::Chunkers::PlainText
  reader.sections(lines).map do |section|
    passages = section.passages.map { |passage| [passage.kind.to_s, passage.level, passage.lines.size] }
    [section.headings, section.page, passages]
  end
end

line = lambda do |chunk|
  "#{chunk.start} #{chunk.end} #{chunk.overlap} #{chunk.tokens} #{chunk.title} #{chunk.content}"
end

Conformance.operation("chunker.split") do |params, given, trace|
  text, options = given.partition { |key, _| key == "text" }.map(&:to_h)
  chunks = chunker.call(params).split(text["text"], **options.transform_keys(&:to_sym))
  trace.stage("read", structure.call(text["text"], given.fetch("format", "text")))
  trace.stage("tokenise", chunks.map { |chunk| [chunk.start, chunk.end, chunk.overlap, chunk.tokens] })
  chunks.map(&:to_h)
end

Conformance.operation("chunker.repeated") do |params, given, trace|
  chunks = chunker.call(params).split(given["unit"] * given["times"], format: given["format"])
  trace.stage("tokenise", chunks.first(3).map(&line))
  [chunks.size, chunks.map(&:tokens).max || 0, Digest::SHA256.hexdigest(chunks.map(&line).join("\n"))]
end

Conformance.operation("chunker.records") do |params, given, trace|
  record = Conformance::OwnTypes.read(given["record"])
  made = chunker.call(params).chunk_records(record, **given.except("record").transform_keys(&:to_sym))
  trace.stage("tokenise", made.map { |one| one["positions"] })
  made
end

Conformance.operation("chunker.cut") do |params, given, _trace|
  cuts.fetch(params["into"]).call(given["text"])
end
