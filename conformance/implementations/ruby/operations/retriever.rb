# frozen_string_literal: true

require_relative "../meanwhile"

# Operations of the retriever (RET-1 … RET-7): one page, and walks over all pages for several page sizes.
module RetrieverOperations
  MAX_PAGE_SIZE = 1024
  MOST_FETCHED_AGAIN = 8

  # A store that fuses by itself: every search finds the first `topn` of these candidates, in this order.
  class ScoredStore < HybridSearch::MemoryDocStore
    def initialize(candidates)
      super()
      @candidates = candidates
    end

    def fuses_scores?
      true
    end

    # The candidates from `offset` on.
    def search(match_exprs:, limit:, offset:, **)
      candidates = @candidates.take(match_exprs.first.topn)
      found = candidates.drop(offset).take(limit)
      ids = found.map(&:first)
      HybridSearch::AdapterKit::SearchResult.new(
        total: candidates.size, ids:, fields: ids.to_h { |identifier| [identifier, {}] }, scores: found.to_h
      )
    end
  end

  # The store, the embedding and the model that a case describes.
  class Setting
    attr_reader :retriever

    def initialize(given)
      if given.key?("corpus")
        corpus = Conformance::Corpora.load(given["corpus"])
        @store = corpus.store
        @embedding = given.fetch("dense", true) ? corpus.embedding : nil
      elsif given.key?("candidates")
        @store = ScoredStore.new(given["candidates"].map { |identifier, score| [identifier, score.to_f] })
      else
        @embedding = RetrieverOperations.embedding(given)
        @store = Conformance::Stores.store
        @store.insert(HybridSearch::DocumentBuilder.new(embedding: @embedding, any_vectors: true)
                                                     .build_many(given["records"]))
        @store.update(given["fields"]) if given.key?("fields")
      end
      synonyms = given.key?("synonyms") ? HybridSearch::Synonyms.new(dictionary: given["synonyms"]) : nil
      @query_builder = HybridSearch::QueryBuilder.new(synonyms:, fields: given["query_fields"])
      @model = given["model"]
      @retriever = HybridSearch::Retriever.new(@store, @query_builder, @embedding, max_page_size: MAX_PAGE_SIZE)
      @ranker = HybridSearch::Retrievers::Ranker.new(@store, @query_builder, nil, HybridSearch::Base::Observation.new)
    end

    # The case's options with its model.
    def options(options)
      keywords = options.transform_keys(&:to_sym)
      @model.nil? ? keywords : keywords.merge(rerank_model: RetrieverOperations.model(@model))
    end

    # Make changes between the reads of the retriever.
    def change(changes, alike)
      armed = changes.to_h.transform_values { |change| -> { make(change, alike) } }
      Conformance::Meanwhile.new(@store).arm(armed)
    end

    # The stages of recall.
    def record(trace, question, options)
      request = request(question, options)
      text, tokens = text_query(question, request)
      trace.stage("tokenise", tokens)
      trace.stage("text leg rank", @store.rank([text.with_topn(request.depth)], request.filters)) if text
      if @embedding && !question.empty?
        dense = @embedding.match_dense(question, topk: request.depth, similarity: request.similarity)
        trace.stage("dense leg rank", @store.rank([dense], request.filters))
      end
      result = recall(request).result
      trace.stage("fuse", result.ids.map { |id| [id, result.scores[id]] })
    end

    # What the blocks show joined: each fetched whole, as one page of the size of its window.
    def blocks(question, options, page_size)
      request = request(question, options.merge(page_size:))
      size = HybridSearch::Retrievers::Window.length(page_size, request.topk, !request.rerank_model.nil?)
      recalled = recall(request)
      (0...recalled.result.ids.size).step(size).flat_map do |first|
        ranked = @ranker.rank(request, recalled.block(first, size), first)
        ranked.order.map { |index| ranked.chunk(index, false) }
      end
    end

    private

    def make(change, alike)
      builder = HybridSearch::DocumentBuilder.new(embedding: @embedding)
      @store.insert(builder.build_many(RetrieverOperations.made(*change["add"], alike))) if change.key?("add")
      @store.delete(change.fetch("delete", []))
    end

    def request(question, options)
      HybridSearch::Retrievers::RetrievalRequest.build(question, options, MAX_PAGE_SIZE)
    end

    # What the text leg is asked, and the tokens or keywords it is made of.
    def text_query(question, request)
      return @query_builder.build_text_query(question, min_match: request.min_match) unless request.text_leg == "bm25f"

      bag = @query_builder.build_bm25f_query(question)
      [bag, bag ? bag.tokens : []]
    end

    def recall(request)
      HybridSearch::Retrievers::Recall.new(@store, @query_builder, @embedding).search(request, 0, request.topk)
    end
  end

  module_function

  def embedding(given)
    if given.key?("query_vector")
      vector = given["query_vector"]
      HybridSearch::Embedding.new(->(texts) { texts.map { vector } })
    elsif given.key?("dimension")
      HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: given["dimension"]))
    end
  end

  # A rerank model that answers as the case says: scores in the order of the texts, by length, late, or not at all.
  def model(described)
    lambda do |_query, texts|
      raise described["raises"] if described.key?("raises")

      sleep(described["sleeps"]) if described.key?("sleeps")
      described.key?("scores") ? described["scores"] : texts.map { |text| text.length / 100.0 }
    end
  end

  # Records of their numbers alone, with one content where they are alike.
  def made(first, count, alike)
    Array.new(count) do |place|
      number = first + place
      content = ("red " * (9 - (number % 7))) + ("wine " * (1 + (number / 16)))
      { "id" => format("d%03d", number), "content" => alike ? "red wine" : content }
    end
  end

  # A page without its texts and timings.
  def scored(page)
    chunks = page.chunks.map { |chunk| [chunk.chunk_id, chunk.similarity] }
    page.to_h.except("timings").merge("chunks" => chunks)
  end

  def page_table(setting, question, options, page_size)
    walked = setting.retriever.each_page(question, **options, page_size:).to_a
    step = -(-walked.size / MOST_FETCHED_AGAIN)
    again = (0...walked.size).step(step).map { |place| walked[place] }
    single = again.map { |page| setting.retriever.retrieve(question, **options, page_size:, page: page.page) }
    {
      "page_size" => page_size,
      "full" => setting.blocks(question, options, page_size).map(&:chunk_id),
      "pages" => walked.map { |page| page.chunks.map(&:chunk_id) },
      "similarity" => walked.flat_map { |page| page.chunks.map(&:similarity) },
      "window_totals" => walked.map(&:window_total),
      "has_more" => walked.map(&:has_more),
      "same" => again.map { |page| page.chunks.map(&:to_h) } == single.map { |page| page.chunks.map(&:to_h) }
    }
  end

  def full_page_table(setting, question, options, page_size)
    walked = setting.retriever.each_page(question, **options, page_size:).to_a
    page_table(setting, question, options, page_size).merge(
      "totals" => walked.map(&:total),
      "total_is_lower_bound" => walked.map(&:total_is_lower_bound),
      "page_counts" => walked.map(&:pages),
      "doc_aggs" => walked.last(1).map { |page| page.doc_aggs.map(&:values) }
    )
  end
end

Conformance.operation("retriever.window") do |params, _given, _trace|
  HybridSearch::Retrievers::Window.length(params["page_size"], params["top"], params["with_model"])
end

Conformance.operation("retriever.retrieve") do |params, given, trace|
  setting = RetrieverOperations::Setting.new(given)
  options = setting.options(params.fetch("options", {}))
  result = setting.retriever.retrieve(given["question"], **options)
  setting.record(trace, given["question"], options)
  trace.stage("page", result.chunks.map(&:chunk_id))
  result.to_h.except("timings")
end

Conformance.operation("retriever.pages") do |params, given, trace|
  setting = RetrieverOperations::Setting.new(given)
  options = setting.options(params.fetch("options", {}))
  setting.record(trace, given["question"], options)
  params["page_sizes"].map { |size| RetrieverOperations.page_table(setting, given["question"], options, size) }
end

Conformance.operation("retriever.full_pages") do |params, given, trace|
  setting = RetrieverOperations::Setting.new(given)
  options = setting.options(params.fetch("options", {})).merge(full_pages: true)
  setting.record(trace, given["question"], options)
  params["page_sizes"].map { |size| RetrieverOperations.full_page_table(setting, given["question"], options, size) }
end

Conformance.operation("retriever.changing") do |params, given, trace|
  alike = given.fetch("alike", false)
  records = RetrieverOperations.made(0, given["made"], alike)
  setting = RetrieverOperations::Setting.new({ "records" => records }.merge(given))
  setting.change(given["meanwhile"], alike)
  options = setting.options(params.fetch("options", {}))
  retriever = setting.retriever
  question = given["question"]
  pages = params["each"] ? retriever.each_page(question, **options) : [retriever.retrieve(question, **options)]
  pages.map do |page|
    trace.stage("page", page.chunks.map(&:chunk_id))
    RetrieverOperations.scored(page)
  end
end

Conformance.operation("retriever.scored_pages") do |params, given, trace|
  setting = RetrieverOperations::Setting.new(given)
  options = setting.options(params.fetch("options", {}))
  trace.stage("fuse", given["candidates"])
  params["page_sizes"].map { |size| RetrieverOperations.page_table(setting, "any", options, size) }
end
