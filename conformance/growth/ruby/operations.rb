# frozen_string_literal: true

require "erb"
require "json"
require "stringio"
require "tmpdir"

# The operations that are timed in Ruby; the twin of `conformance/growth/operations.py`.
#
# Each takes a text, makes everything ready, and gives what is to be timed. Where a question meets a document, one of
# them grows and the other is the beginning of the same text, or both grow.
module Growth
  include HybridSearch

  # Code points of the question that a growing document meets.
  QUESTION = 48
  # Code points of the document that a growing question meets.
  DOCUMENT = 256

  SEGMENTER = Segmenter.new
  TOKENIZER = Tokenizer.new(segmenter: SEGMENTER)
  EXTRACTOR = KeywordExtractor.new
  PLAIN_EXTRACTOR = KeywordExtractor.new(identifiers: false)
  CHUNKER = Chunker.new(size: 16)
  FOLDER = Dir.mktmpdir("growth-")
  at_exit { FileUtils.remove_entry(FOLDER) }

  # Name => operation. In those that end with `_both` document and question grow.
  OPERATIONS = {} # rubocop:disable Style/MutableConstant -- filled below

  module_function

  def simple(name, &function)
    OPERATIONS[name] = ->(text) { -> { function.call(text) } }
  end

  # An operation on tokens: those of the text.
  def on_tokens(name, &function)
    OPERATIONS[name] = lambda do |text|
      tokens = TOKENIZER.tokenize(text)
      -> { function.call(tokens) }
    end
  end

  # Three operations: a long document, a long question, both.
  def meeting(name, &function)
    OPERATIONS["#{name}_document"] = ->(text) { function.call(text, text[0, QUESTION]) }
    OPERATIONS["#{name}_question"] = ->(text) { function.call(text[0, DOCUMENT], text) }
    OPERATIONS["#{name}_both"] = ->(text) { function.call(text, text) }
  end

  # What is refused has its cost too.
  def refused
    yield
  rescue HybridSearch::Error, JSON::ParserError
    nil
  end

  def builder(**options)
    QueryBuilder.new(tokenizer: TOKENIZER, max_question_length: nil, **options)
  end

  def weights
    TermWeight.new(tokenizer: TOKENIZER)
  end

  def record(text)
    { "id" => "a", "content" => text, "title" => text, "keywords" => [text], "questions" => [text] }
  end

  def index(*documents, embedding: nil)
    index = Index.new(tokenizer: TOKENIZER, embedding:, max_question_length: nil)
    index.add(documents.each_with_index.map { |text, number| { "id" => number.to_s, "content" => text } })
    index
  end

  def found(document, prepared:, tokens: true)
    store = MemoryDocStore.new
    fields = DocumentBuilder.new(tokenizer: TOKENIZER).build(record(document))
    store.insert([fields])
    result = store.search(limit: 1)
    return result if prepared

    kept = tokens ? fields : fields.slice("id", "content_ltks", "title_tks")
    AdapterKit::SearchResult.new(total: result.total, ids: result.ids, fields: { "a" => kept }, scores: result.scores)
  end

  def rendered(name)
    OPERATIONS[name] = lambda do |text|
      query, = builder.build_text_query(text)
      tree = query ? query.tree : AdapterKit::Tree::AnyOf.new([])
      -> { yield tree }
    end
  end

  def reranking(name, prepared:, tokens:)
    meeting(name) do |document, question|
      found = found(document, prepared:, tokens:)
      reranker = Reranker.new(builder)
      -> { reranker.rerank_by_hybrid(found, question) }
    end
  end

  def service(name, method)
    meeting(name) do |document, question|
      store = index(document, "other").store
      service = RetrievalService.new(
        store, query_builder: builder, keyword_extractor: EXTRACTOR
      )
      -> { service.retrieve(question, search_method: method) }
    end
  end

  def from_file(name, ending, content)
    OPERATIONS[name] = lambda do |text|
      path = File.join(FOLDER, "#{name}.#{ending}")
      File.binwrite(path, content.call(text))
      -> { refused { yield path } }
    end
  end

  simple("strip") { |text| Base::Characters.strip(text) }
  simple("split_white") { |text| Base::Characters.split_white(text) }
  simple("parse_decimal") { |text| Base::Numeric.parse_decimal(text) }
  simple("normalize") { |text| Text::Normalizer.new.normalize(text) }
  simple("tokenize") { |text| TOKENIZER.tokenize(text) }
  simple("fine_grained") { |text| TOKENIZER.fine_grained(text) }
  simple("cut") { |text| SEGMENTER.cut(text) }
  simple("cut_without_model") { |text| SEGMENTER.cut(text, hmm: false) }
  simple("cut_for_search") { |text| SEGMENTER.cut_for_search(text) }
  simple("stem") { |text| Text::Stemmer.new.stem(text) }
  simple("identifiers") { |text| Text::Identifiers.new.pieces(Text::Identifiers.new.prepare(text)) }
  simple("identifier_parts") { |text| Text::Identifiers.new.parts(text) }
  simple("keywords") { |text| EXTRACTOR.extract(text) }
  simple("all_keywords") { |text| EXTRACTOR.extract(text, limit: nil) }
  simple("plain_keywords") { |text| PLAIN_EXTRACTOR.extract(text) }
  simple("chunks") { |text| CHUNKER.split(text) }
  simple("chunks_of_markdown") { |text| CHUNKER.split(text, format: "markdown") }
  simple("chunk_records") do |text|
    CHUNKER.chunk_records({ "id" => "a", "content" => text, "title" => text }, format: "markdown")
  end
  simple("separate_scripts") { |text| QueryBuilders::QuestionWords.separate_scripts(text) }
  simple("fold_separators") { |text| QueryBuilders::QuestionWords.fold_separators(text) }
  simple("remove_question_words") { |text| QueryBuilders::QuestionWords.remove_question_words(text) }
  simple("is_chinese") { |text| QueryBuilders::QuestionWords.chinese?(text) }
  simple("pretokenize") { |text| weights.pretokenize(text) }
  simple("split") { |text| weights.split(text) }
  simple("merge_characters") { |text| weights.merge(text.chars) }
  simple("merge_words") { |text| weights.merge(text.split(" ", -1)) }
  simple("weights") { |text| weights.weights([text]) }
  on_tokens("weights_of_tokens") { |tokens| weights.weights(tokens, preprocess: false) }
  simple("weight_of_one") { |text| weights.weights([text], preprocess: false) }
  simple("build_text_query") { |text| builder.build_text_query(text) }
  simple("question_keywords") { |text| builder.keywords(text) }
  simple("synonyms") { |text| Synonyms.new(dictionary: { "a" => "b" }).lookup(text) }
  simple("synonym_table") { |text| Synonyms.new(dictionary: { "#{text[0, DOCUMENT]}x" => text }) }
  simple("hashing_embedder") { |text| HashingEmbedder.new(dimension: 64).encode([text]) }
  simple("remove_redundant_blanks") { |text| Rerankers::Spacing.remove_redundant(text) }
  simple("strict_json") { |text| refused { Base::StrictJson.parse(text) } }
  on_tokens("paragraph") { |tokens| builder.paragraph(tokens, tokens) }

  OPERATIONS["build_text_query_with_synonyms"] = lambda do |text|
    words = TOKENIZER.tokenize(text[0, DOCUMENT])
    synonyms = Synonyms.new(dictionary: words.to_h { |word| [word, ["#{word}x", text[0, QUESTION]]] })
    builder = builder(synonyms:)
    -> { builder.build_text_query(text) }
  end

  OPERATIONS["strict_json_text"] = lambda do |text|
    written = JSON.generate(text)
    -> { Base::StrictJson.parse(written) }
  end

  OPERATIONS["strict_json_list"] = lambda do |text|
    written = JSON.generate(text.chars.map { |character| { character => [character] } })
    -> { Base::StrictJson.parse(written) }
  end

  rendered("lucene") { |tree| AdapterKit::Render.lucene(tree) }
  rendered("tsquery") { |tree| AdapterKit::Render.tsquery(tree) }
  rendered("fts5") { |tree| AdapterKit::Render.fts5(tree) }

  meeting("token_similarity") do |document, question|
    builder = builder()
    question_tokens = TOKENIZER.tokenize(question)
    document_tokens = TOKENIZER.tokenize(document)
    -> { builder.token_similarity(question_tokens, [document_tokens]) }
  end

  simple("build_document") { |text| DocumentBuilder.new(tokenizer: TOKENIZER).build(record(text)) }

  OPERATIONS["add"] = lambda do |text|
    index = index(embedding: HashingEmbedder.new(dimension: 64))
    -> { index.add([{ "id" => "a", "content" => text, "keywords" => [text] }]) }
  end

  OPERATIONS["update"] = lambda do |text|
    index = index(text[0, QUESTION], embedding: HashingEmbedder.new(dimension: 64))
    changes = record(text).except("keywords").merge("id" => "0", "metadata" => { "text" => text })
    -> { index.update([changes]) }
  end

  OPERATIONS["upsert"] = lambda do |text|
    index = index(text, embedding: HashingEmbedder.new(dimension: 64))
    -> { index.upsert([record(text).merge("id" => "0"), { "id" => "1", "content" => text }]) }
  end

  OPERATIONS["add_and_delete"] = lambda do |text|
    index = index(text[0, QUESTION], text)
    -> { index.delete(["1"]) }
  end

  %w[balanced ragflow].each do |profile|
    meeting("search_#{profile}") do |document, question|
      index = index(document, "other")
      -> { index.search(question, profile:, min_score: 0.0, highlight: true, explain: true) }
    end
  end

  meeting("highlight") do |document, question|
    keywords = [question, *TOKENIZER.tokenize(question)]
    -> { Stores::Queries::Highlight.new(keywords).mark(document) }
  end

  meeting("cite") do |document, answer|
    index = index("other", embedding: HashingEmbedder.new(dimension: 16))
    -> { index.cite(answer, ["0", { "id" => "growing", "content" => document }]) }
  end

  meeting("fragments") do |document, question|
    keywords = [question, *TOKENIZER.tokenize(question)]
    -> { Search::Fragments.new(Search::FragmentOptions.new, keywords).of({ "content" => document }) }
  end

  OPERATIONS["aggregations"] = lambda do |text|
    values = [text, *text.chars, text.split(" ", -1)]
    -> { Stores::Queries::Aggregations.count(values) }
  end

  # As many integers as the text has code points, all with one remainder by 2^61 - 1.
  one_remainder = ->(text) { (1..text.length).map { |number| number * ((1 << 61) - 1) } }

  OPERATIONS["aggregations_of_numbers"] = lambda do |text|
    numbers = one_remainder.call(text)
    -> { Stores::Queries::Aggregations.count([*numbers, numbers]) }
  end

  OPERATIONS["filters_of_numbers"] = lambda do |text|
    store = index(text[0, DOCUMENT]).store
    filters = { "page_int" => { "in" => one_remainder.call(text), "gt" => 0 } }
    -> { refused { store.rank([], filters) } }
  end

  OPERATIONS["filters"] = lambda do |text|
    store = index(text).store
    pieces = text.split(" ", -1)
    ranges = [{ "content_with_weight" => { "gte" => text, "in" => pieces } },
              { "metadata.#{text}" => { "exists" => true } }]
    filters = { "kb_id" => [text, *text.chars], "not" => { "any" => ranges },
                "docnm_kwd" => { "in" => pieces, "lt" => text } }
    -> { store.rank([], filters) }
  end

  OPERATIONS["filters_of_parts"] = lambda do |text|
    store = index(text).store
    parts = { "contains" => text[0, 256], "starts_with" => text[0, 255], "ends_with" => text[-256..] || text }
    -> { refused { store.rank([], { "content_with_weight" => parts }) } }
  end

  OPERATIONS["tags_of_record"] = lambda do |text|
    index = index(text)
    -> { index.tags_of_record({ "id" => "2", "content" => text }, field: "doc_id", smoothing: 0) }
  end

  simple("attributes") do |text|
    Base::InputValues.attributes("metadata", { "a" => [text, *text.chars], "b" => { "c" => text } })
  end

  reranking("rerank_prepared", prepared: true, tokens: true)
  reranking("rerank_tokens", prepared: false, tokens: true)
  reranking("rerank_texts", prepared: false, tokens: false)

  MODEL = ->(_query, texts) { Array.new(texts.size, 0.5) }

  meeting("rerank_by_model") do |document, question|
    found = found(document, prepared: false)
    reranker = Reranker.new(builder)
    -> { reranker.rerank_by_model(MODEL, found, question) }
  end

  OPERATIONS["partial_rerank"] = lambda do |text|
    found = found(text, prepared: false)
    -> { PartialRerank.new(MODEL).rerank_result(text, found, [1.0]) }
  end

  meeting("post_process") do |document, question|
    documents = [{ "page_content" => document, "metadata" => { "vector_score" => 0.5 } }]
    processor = PostProcessor.new("weighted_score", weights: "0.3,0.7", keyword_extractor: EXTRACTOR)
    -> { processor.process(question, documents) }
  end

  service("service_keywords", "keyword_search")
  service("service_full_text", "full_text_search")

  OPERATIONS["service_hybrid"] = lambda do |text|
    embedding = Embedding.new(HashingEmbedder.new(dimension: 64))
    store = index(text[0, DOCUMENT], embedding:).store
    service = RetrievalService.new(
      store, query_builder: builder, embedding:, keyword_extractor: EXTRACTOR
    )
    -> { service.retrieve(text, search_method: "hybrid_search") }
  end

  OBJECT = lambda do |text|
    JSON.generate(text.each_char.with_index.to_h { |character, place| ["#{place} #{character}", character] })
  end
  WHOLE = ->(text) { text }

  from_file("synonyms_file", "json", OBJECT) { |path| Synonyms.new(dictionary: path) }
  from_file("entities_file", "json", OBJECT) { |path| TermWeight.new(tokenizer: TOKENIZER, entities: path) }
  from_file("frequencies_file", "tsv", WHOLE) do |path|
    TermWeight.new(tokenizer: TOKENIZER, document_frequencies: path)
  end
  from_file("user_dictionary", "txt", WHOLE) { |path| Text::UserDictionary.read(path) }

  CODEC = Search::CursorCodec.new

  # The cursor of a long id, and of values to order by that are its characters.
  OPERATIONS["cursor_parts"] = lambda do |text|
    key = Search::RankingKey.new(text.chars, 1, 0.5, 0.5, text)
    cursor = CODEC.encode(Search::Cursor.new(key, 1, "0" * 16, 1))
    -> { refused { CODEC.decode(cursor) } }
  end

  simple("cursor_text") { |text| refused { CODEC.decode(text) } }

  # Lines of records, as `hybrid-search index` reads them.
  def lines(name)
    OPERATIONS[name] = lambda do |text|
      data = yield(text).b
      -> { refused { Cli::RecordLines.new([], StringIO.new(data)).each(&:content) } }
    end
  end

  lines("record_lines_raw", &WHOLE)
  lines("record_lines_long") do |text|
    JSON.generate({ "id" => "1", "content" => text, "metadata" => { "a" => text.chars } })
  end
  lines("record_lines_many") do |text|
    text.each_char.map { |one| "#{JSON.generate({ "id" => one, "content" => one })}\n" }.join
  end

  API = Server::HttpApi.new(Index.new(tokenizer: TOKENIZER, vector_similarity_weight: 0.0),
                            Server::HttpSettings.new(nil, false, nil, false, *Server::HttpSettings::LIMITS.values, nil,
                                                     false))

  # Bodies of searches, as the HTTP service takes them.
  def searched(name)
    OPERATIONS[name] = lambda do |text|
      body = yield(text).b
      headers = { "content-type" => "application/json", "content-length" => body.bytesize.to_s }
      -> { API.exchange(Server::HttpHead.new("POST", "/v1/search", headers)).answer(body) }
    end
  end

  searched("http_body", &WHOLE)
  searched("http_fields") do |text|
    JSON.generate(text.each_char.with_index.to_h { |one, place| ["#{place}#{one}", 1] })
  end
  searched("http_filters") do |text|
    JSON.generate({ "question" => "a", "filters" => { "kb_id" => text.chars } })
  end
  searched("http_cursor") { |text| JSON.generate({ "question" => "a", "cursor" => text }) }

  # Query strings of searches.
  def addressed(name)
    OPERATIONS[name] = lambda do |text|
      head = Server::HttpHead.new("GET", "/v1/search", {}, "", "", yield(text).b)
      -> { API.exchange(head).answer }
    end
  end

  addressed("http_query") { |text| ERB::Util.url_encode(text) }
  addressed("http_query_list") { |text| "facets=#{ERB::Util.url_encode(text.chars.join(","))}" }
  addressed("http_query_filters") do |text|
    text.each_char.map { |one| "filter.kb_id=#{ERB::Util.url_encode(one)}" }.join("&")
  end
  addressed("http_query_names") do |text|
    text.each_char.with_index.map { |one, place| "filter.#{ERB::Util.url_encode(one)}.gte=#{place}" }.join("&")
  end

  # Operations of a known cost, by which the measurement itself is tried.
  PROOFS = {
    "linear" => ->(text) { -> { 20.times { text.each_char { nil } } } },
    "quadratic" => ->(text) { -> { text.each_char { text.each_char { nil } } } }
  }.freeze

  require "arrangements"
end
