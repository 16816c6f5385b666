# frozen_string_literal: true

require "tmpdir"

# Operations over the query builder (TW, SYN, QRY).
module QueryBuilderOperations
  # What stands for the folder of a case's files in the messages of errors.
  FOLDER = "DIR"

  module_function

  def tokenizer
    @tokenizer ||= HybridSearch::Tokenizer.new
  end

  def weigher
    HybridSearch::Base::Kernels.kernel("term_weight")
  end

  def term_weight(params)
    weigher.new(
      tokenizer:, document_frequencies: params["document_frequencies"], entities: params["entities"]
    )
  end

  def builder(params)
    synonyms = HybridSearch::Synonyms.new(dictionary: params["synonyms"])
    HybridSearch::QueryBuilder.new(tokenizer:, term_weight: term_weight(params), synonyms:)
  end

  # A query tree as plain data.
  def tree_value(node)
    case node
    when HybridSearch::AdapterKit::Tree::Term then { "term" => node.text, "escape" => node.escape }
    when HybridSearch::AdapterKit::Tree::Phrase
      { "phrase" => node.tokens, "slop" => node.slop, "escape" => node.escape }
    when HybridSearch::AdapterKit::Tree::AnyOf
      { "any_of" => node.children.map { |child| tree_value(child) }, "joiner" => node.joiner }
    when HybridSearch::AdapterKit::Tree::Boost
      { "boost" => tree_value(node.child), "factor" => node.factor, "format" => node.weight_format.to_s }
    else { "group" => tree_value(node.child) }
    end
  end

  # The query tree of plain data; what is none comes back as it is.
  def tree_of(value)
    return value unless value.is_a?(Hash)

    tree = HybridSearch::AdapterKit::Tree
    if value.key?("term")
      tree::Term.new(value["term"], escape: value.fetch("escape", true))
    elsif value.key?("phrase")
      tree::Phrase.new(value["phrase"], slop: value.fetch("slop", 0), escape: value.fetch("escape", true))
    elsif value.key?("any_of")
      tree::AnyOf.new(value["any_of"].map { |child| tree_of(child) }, joiner: value.fetch("joiner", " "))
    elsif value.key?("boost")
      format = value.fetch("format", "shortest").to_sym
      tree::Boost.new(tree_of(value["boost"]), value["factor"], weight_format: format)
    else
      tree::Group.new(tree_of(value["group"]))
    end
  end

  def expression_value(expression)
    {
      "query" => HybridSearch::AdapterKit::Render.lucene(expression.tree),
      "tree" => tree_value(expression.tree),
      "fields" => expression.fields,
      "topn" => expression.topn,
      "extra_options" => expression.extra_options
    }
  end

  def weighed(builder, prepared)
    text, chinese = builder.question_text(prepared)
    weigher = builder.term_weight
    return weigher.split(text).map { |piece| weigher.weights([piece]) } if chinese

    weigher.weights(builder.tokenizer.tokenize(text), preprocess: false)
  end

  # Yields a folder that holds these files; a `hex:` content is given by its bytes.
  def with_files(files)
    Dir.mktmpdir do |folder|
      files.each do |name, content|
        data = content.start_with?("hex:") ? from_hex(content.delete_prefix("hex:")) : content
        File.binwrite(File.join(folder, name), data)
      end
      yield folder
    rescue HybridSearch::ConfigurationError => e
      raise HybridSearch::ConfigurationError, e.message.gsub(folder, FOLDER)
    end
  end

  # The bytes of pairs of hex digits; anything else is no content that a case may have.
  def from_hex(text)
    raise ArgumentError, "not pairs of hex digits: #{text}" unless text.match?(/\A(?:\h\h)*\z/)

    [text].pack("H*")
  end

  def look_up(kind, path, term)
    case kind
    when "synonyms" then HybridSearch::Synonyms.new(dictionary: path).lookup(term)
    when "entities" then weigher.new(tokenizer:, entities: path).entity_weight(term)
    else weigher.new(tokenizer:, document_frequencies: path).document_frequency(term)
    end
  end
end

shared = QueryBuilderOperations

Conformance.operation("query_builder.weights") do |params, given, trace|
  found = shared.term_weight(params).weights(given["tokens"], preprocess: params["preprocess"])
  trace.stage("weigh", found)
  found
end

Conformance.operation("query_builder.factors") do |params, given, _trace|
  weigher = shared.term_weight(params)
  given["terms"].map do |term|
    [weigher.frequency(term), weigher.document_frequency(term), weigher.entity_weight(term), weigher.tag_weight(term)]
  end
end

Conformance.operation("query_builder.weights_after_words") do |_params, given, trace|
  segmenter = HybridSearch::Segmenter.new
  weigher = shared.weigher.new(tokenizer: HybridSearch::Tokenizer.new(segmenter:))
  before = weigher.weights(given["tokens"], preprocess: false)
  trace.stage("weigh", before)
  given["words"].each { |word, frequency, tag| segmenter.add_word(word, frequency:, tag:) }
  [before, weigher.weights(given["tokens"], preprocess: false)]
end

Conformance.operation("query_builder.pretokenize") do |params, given, trace|
  kept = shared.weigher.new(tokenizer: shared.tokenizer).pretokenize(given["text"], numbers: params["numbers"])
  trace.stage("tokenise", shared.tokenizer.tokenize(given["text"]))
  kept
end

Conformance.operation("query_builder.defaults") do |_params, given, trace|
  builder = HybridSearch::QueryBuilder.new(tokenizer: shared.tokenizer)
  text, = builder.build_text_query(given["question"])
  term_weight = shared.weigher.new(tokenizer: shared.tokenizer)
  pretokenized = term_weight.pretokenize("#{given["question"]} 7")
  trace.stage("tokenise", pretokenized)
  weights = term_weight.weights([given["question"]])
  trace.stage("weigh", weights)
  {
    "extra_options" => text&.extra_options,
    "paragraph" => HybridSearch::AdapterKit::Render.lucene(builder.paragraph(given["tokens"], []).tree),
    "synonyms" => HybridSearch::Synonyms.new(dictionary: { "term" => given["synonyms"] }).lookup("term"),
    "weights" => weights,
    "pretokenized" => pretokenized
  }
end

Conformance.operation("query_builder.merge") do |_params, given, _trace|
  shared.weigher.new(tokenizer: shared.tokenizer).merge(given["tokens"])
end

Conformance.operation("query_builder.split") do |params, given, _trace|
  shared.weigher.new(tokenizer: shared.tokenizer, entities: params["entities"]).split(given["text"])
end

Conformance.operation("query_builder.synonyms") do |params, given, _trace|
  files = given.fetch("files", {})
  shared.with_files(files) do |folder|
    found = HybridSearch::Synonyms.new(dictionary: given["dictionary"], word_net: files.empty? ? nil : folder)
    given["terms"].map { |term| found.lookup(term, limit: params["limit"]) }
  end
end

Conformance.operation("query_builder.word_net") do |_params, given, trace|
  shared.with_files(given["files"]) do |folder|
    net = HybridSearch::WordNet.new(folder)
    bases = given["words"].map { |word| %w[noun verb adj adv].map { |part| net.base_forms(word, part) } }
    trace.stage("normalise", bases)
    given["words"].zip(bases).map { |word, forms| [net.head_lemmas(word), forms] }
  end
end

Conformance.operation("query_builder.term_file") do |_params, given, _trace|
  shared.with_files(given["files"]) do |folder|
    shared.look_up(given["kind"], "#{folder}/#{given["name"]}", given["term"])
  end
end

Conformance.operation("query_builder.configuration") do |_params, given, _trace|
  kind = given["class"] == "TermWeight" ? shared.weigher : HybridSearch.const_get(given["class"])
  kind.new(**given["options"].transform_keys(&:to_sym))
  true
end

Conformance.operation("query_builder.call") do |_params, given, _trace|
  subject =
    case given["class"]
    when "TermWeight" then shared.weigher.new(tokenizer: shared.tokenizer)
    when "Synonyms" then HybridSearch::Synonyms.new(dictionary: { "a" => %w[b c] })
    else HybridSearch::QueryBuilder.new(tokenizer: shared.tokenizer)
    end
  value = subject.public_send(given["method"], *given["arguments"], **given["options"].transform_keys(&:to_sym))
  kit = HybridSearch::AdapterKit
  value.is_a?(kit::MatchTextExpr) ? kit::Render.lucene(value.tree) : value.size
end

Conformance.operation("query_builder.prepare") do |_params, given, trace|
  prepared = HybridSearch::QueryBuilder.new(tokenizer: shared.tokenizer).prepare(given["question"])
  separated = HybridSearch::QueryBuilders::QuestionWords.separate_scripts(given["question"])
  trace.stage("read", separated)
  trace.stage("normalise", shared.tokenizer.normalize(separated))
  prepared
end

Conformance.operation("query_builder.remove_question_words") do |_params, given, _trace|
  HybridSearch::QueryBuilders::QuestionWords.remove_question_words(given["text"])
end

Conformance.operation("query_builder.is_chinese") do |_params, given, _trace|
  HybridSearch::QueryBuilders::QuestionWords.chinese?(given["text"])
end

Conformance.operation("query_builder.escape") do |_params, given, _trace|
  HybridSearch::QueryBuilders::Clauses.escape(given["text"])
end

Conformance.operation("query_builder.build_text_query") do |params, given, trace|
  builder = shared.builder(params)
  prepared = builder.prepare(given["question"])
  trace.stage("normalise", prepared)
  tokens = builder.tokenizer.tokenize(prepared)
  trace.stage("tokenise", tokens)
  trace.stage("weigh", shared.weighed(builder, prepared)) unless tokens.empty?
  expression, keywords = builder.build_text_query(given["question"], min_match: params["min_match"])
  next { "query" => nil, "keywords" => keywords } if expression.nil?

  trace.stage("query tree", shared.tree_value(expression.tree))
  trace.stage("query text", HybridSearch::AdapterKit::Render.lucene(expression.tree))
  { **shared.expression_value(expression), "keywords" => keywords }
end

Conformance.operation("query_builder.build_bm25f_query") do |params, given, trace|
  builder = HybridSearch::QueryBuilder.new(
    tokenizer: shared.tokenizer, fields: params["fields"], synonyms: params["synonyms"]
  )
  query = builder.build_bm25f_query(given["question"])
  next nil if query.nil?

  trace.stage("tokenise", query.tokens)
  { "fields" => query.fields, "tokens" => query.tokens, "topn" => query.topn }
end

Conformance.operation("query_builder.paragraph") do |params, given, trace|
  builder = shared.builder(params)
  expression = builder.paragraph(given["tokens"], given["keywords"], limit: params["limit"])
  trace.stage("weigh", builder.term_weight.weights(given["tokens"], preprocess: false))
  trace.stage("query text", HybridSearch::AdapterKit::Render.lucene(expression.tree))
  shared.expression_value(expression)
end

Conformance.operation("query_builder.render") do |_params, given, _trace|
  tree = shared.tree_of(given["tree"])
  %w[lucene tsquery fts5].to_h { |engine| [engine, HybridSearch::AdapterKit::Render.public_send(engine, tree)] }
end

Conformance.operation("query_builder.token_similarity") do |params, given, trace|
  similarity = HybridSearch::QueryBuilders::TokenSimilarity.new(shared.term_weight(params))
  keys = similarity.query_keys(given["query_tokens"]).keys
  trace.stage("weigh", keys)
  { "keys" => keys, "similarities" => similarity.token_similarity(given["query_tokens"], given["docs_tokens"]) }
end

# Weighs tokens as a case says.
GivenWeights = Struct.new(:given) do
  # The tokens with their weights, in order.
  def weights(tokens, **)
    tokens.zip(given)
  end
end

Conformance.operation("query_builder.weighted_similarity") do |_params, given, trace|
  similarity = HybridSearch::QueryBuilders::TokenSimilarity.new(GivenWeights.new(given["query"].map(&:last)))
  tokens = given["query"].map(&:first)
  trace.stage("weigh", similarity.query_keys(tokens).keys)
  found = similarity.token_similarity(tokens, given["docs_tokens"])
  trace.stage("term similarity", found)
  found
end
