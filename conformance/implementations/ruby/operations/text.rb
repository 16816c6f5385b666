# frozen_string_literal: true

# Operations over the text layer (TXT-1, TXT-4 … TXT-9).

require "tmpdir"

# A tokenizer somebody may plug in (TXT-9): words between blanks, parts between dashes, four-letter words known.
class DashTokenizer
  def tokenize(text)
    normalize(text).split(/ /).reject(&:empty?)
  end

  def fine_grained(token)
    parts = token.split("-").reject(&:empty?)
    parts.empty? ? [token] : parts
  end

  def frequency(term)
    term.length == 4 ? 1000 : 0
  end

  def tag(term)
    term.length == 4 ? "n" : ""
  end

  def normalize(text)
    text.tr("X", "x")
  end
end

segmenter = HybridSearch::Segmenter.new
tokenizers = Hash.new { |made, stemming| made[stemming] = HybridSearch::Tokenizer.new(stemming:) }
steps = { "all" => :normalize, "half_width" => :half_width, "lower" => :lower, "simplify" => :simplify }

Conformance.operation("text.normalize") do |params, given, trace|
  normalizer = HybridSearch::Text::Normalizer.new
  normalized = normalizer.public_send(steps.fetch(params["step"]), given["text"])
  if params["step"] == "all"
    narrow = normalizer.half_width(given["text"])
    trace.stage("read", narrow)
    trace.stage("normalise", normalizer.lower(narrow))
  end
  normalized
end

Conformance.operation("text.stem") do |_params, given, _trace|
  stemmer = HybridSearch::Text::Stemmer.new
  given["words"].map { |word| stemmer.stem(word) }
end

Conformance.operation("text.tokenize") do |params, given, trace|
  tokenizer = tokenizers[params["stemming"]]
  trace.stage("normalise", tokenizer.normalize(given["text"]))
  tokenizer.tokenize(given["text"])
end

Conformance.operation("text.fine_grained") do |_params, given, trace|
  parts = tokenizers[true].fine_grained(given["token"])
  words = given["token"].split(/ /).reject(&:empty?)
  trace.stage("route", words.map { |word| segmenter.best_route_without_whole(word) })
  parts
end

Conformance.operation("text.frequency_and_tag") do |_params, given, _trace|
  given["terms"].map { |term| [tokenizers[true].frequency(term), tokenizers[true].tag(term)] }
end

Conformance.operation("text.tokenizer_options") do |_params, given, _trace|
  HybridSearch::Tokenizer.new(**given["options"].transform_keys(&:to_sym))
  true
end

Conformance.operation("text.plugged_in") do |_params, given, trace|
  tokenizer = DashTokenizer.new
  expression, keywords = HybridSearch::QueryBuilder.new(tokenizer:).build_text_query(given["question"])
  trace.stage("tokenise", tokenizer.tokenize(given["question"]))
  [expression && HybridSearch::AdapterKit::Render.lucene(expression.tree), keywords]
end

# Signs become white space that is not ASCII.
wide = ->(text) { text.tr("-+=#", "\u3000\u00a0\u2028\u2009") }
# A list of another type, as libraries have.
own_list = Class.new(Array)
functions = {
  "words" => ->(text) { text.split(/ /, -1) },
  "text" => ->(text) { text },
  "commas" => ->(text) { text.split(/,/, -1) },
  "length" => lambda(&:length),
  "sequence" => ->(text) { own_list.new(text.split(/,/, -1)) },
  "row" => ->(text) { text.split(/,/, -1).freeze },
  "members" => ->(text) { text.split(/,/, -1).to_h { |word| [word, 1] } },
  "wide" => wide,
  "wide_words" => ->(text) { wide.call(text).split(/,/, -1) }
}

Conformance.operation("text.function") do |params, given, trace|
  tokenizer = HybridSearch::Text::FunctionTokenizer.accept("tokenizer", functions.fetch(params["cut"]))
  text = given["text"]
  expression, keywords = HybridSearch::QueryBuilder.new(tokenizer:).build_text_query(text)
  told = [tokenizer.fine_grained(text), tokenizer.frequency(text), tokenizer.tag(text), tokenizer.normalize(text)]
  tokens = tokenizer.tokenize(text)
  trace.stage("tokenise", tokens)
  [tokens, told, expression && HybridSearch::AdapterKit::Render.lucene(expression.tree), keywords]
end

keyword_tokenizers = Hash.new do |made, identifiers|
  made[identifiers] = HybridSearch::Text::KeywordTokenizer.new(identifiers:)
end

# A tokenizer or extractor with user words, each a list of word, frequency and tag, and those of a file.
with_words = lambda do |made, words, dictionary|
  words.each { |word, *details| made.add_word(word, **%i[frequency tag].first(details.size).zip(details).to_h) }
  next made if dictionary.nil?

  Dir.mktmpdir do |folder|
    path = File.join(folder, "words.txt")
    File.write(path, dictionary)
    made.load_user_dict(path)
  end
  made
end

Conformance.operation("text.identifiers") do |params, given, trace|
  words, identifiers = params.values_at("user_words", "identifiers")
  made = words.empty? ? keyword_tokenizers[identifiers] : HybridSearch::Text::KeywordTokenizer.new(identifiers:)
  tokenizer = with_words.call(made, words, nil)
  tokens = tokenizer.tokenize(given["text"])
  trace.stage("tokenise", tokens)
  tokens.map { |token| [token, tokenizer.parts(token)] }
end

Conformance.operation("text.keywords") do |params, given, trace|
  options = params["options"].transform_keys(&:to_sym)
  options[:stop_words] = HybridSearch::Text::StopWords.jieba_words if options[:stop_words] == "jieba"
  made = HybridSearch::KeywordExtractor.new(**options)
  extractor = with_words.call(made, *params.values_at("user_words", "user_dictionary"))
  found = extractor.extract(given["text"], **given.except("text").transform_keys(&:to_sym))
  pairs = found.words.zip(found.weights)
  trace.stage("weigh", pairs)
  { "words" => pairs, "parts" => found.parts, "terms" => found.terms.size }
end
