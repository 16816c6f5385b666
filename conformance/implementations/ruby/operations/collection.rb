# frozen_string_literal: true

require "digest"
require "codec"
require "corpora"

module Conformance
  # A query builder that builds the query of the question at hand once; every block of its pages asks again.
  class RememberingBuilder < HybridSearch::QueryBuilder
    def initialize
      @remembered = {}
      super
    end

    # @see HybridSearch::QueryBuilder#build_text_query
    def build_text_query(question, min_match: 0.3, **unknown)
      key = [question, min_match]
      unless @remembered.key?(key)
        @remembered.delete_if { |(other, _), _| other != question }
        @remembered[key] = super
      end
      expression, keywords = @remembered[key]
      [expression, keywords.dup]
    end
  end

  # Operations of the live comparison: one loaded collection, and what each of its queries gives stage by stage.
  #
  # Stages answer with digests, so that only differences travel; `collection.stage` gives one stage in full.
  class LoadedCollection
    TOPK = 1024
    PAGE_SIZES = [1, 5, 7, 10, 30, 50, 64].freeze
    METHODS = %w[weighted_sum rrf].freeze
    SHALLOW = 128
    DEEP_EVERY = 32
    SMALL = 200
    MIN_MATCH = 0.3

    # How the pages of one query are walked: entries on a page, how the legs are fused, how many candidates.
    WalkPlan = Struct.new(:page_size, :fusion, :depth)

    # @return [Corpora::Collection] its files
    attr_reader :collection
    # @return [HybridSearch::DocStoreAdapter, nil] its documents; nil when it has queries only
    attr_reader :store
    # @return [Array<Hash>] what the walks over all pages found, for the paging laws
    attr_reader :walks

    def initialize(folder, model, depth)
      @depth = depth
      @collection = Corpora::Collection.new(folder, model)
      @builder = RememberingBuilder.new
      @walks = []
      return unless File.file?(File.join(folder, "corpus.jsonl"))

      @store = @collection.store
      @embedding = @collection.embedding
      @retriever = HybridSearch::Retriever.new(@store, @builder, @embedding)
    end

    # The stages of one query, in order; each is computed when it is called, from what those before left.
    #
    # @return [Array<Array(String, Proc)>]
    def stages(place)
      question = collection.queries.fetch(place).fetch("text")
      text, keywords = @builder.build_text_query(question, min_match: MIN_MATCH)
      found = [
        ["tokenise", -> { keywords }],
        ["query text", -> { text && HybridSearch::AdapterKit::Render.lucene(text.tree) }]
      ]
      store ? found + search_stages(place, question, text) : found
    end

    # @return [Array<String>] the digest of every stored document, in the order of the file
    def document_digests
      return [] unless store

      collection.documents.map { |record| Codec.digest(Codec.encode(document(record["_id"]))) }
    end

    # @return [Hash, nil] one stored document without its vectors
    def document(id)
      store&.get(id)&.reject { |key, _| key.end_with?("_vec") }
    end

    private

    def search_stages(place, question, text)
      plans = walk_plans(place)
      legs = []
      found = [["text leg rank", -> { legs[0] = text ? store.text_leg(text.with_topn(TOPK)) : [] }]]
      found += dense_stages(question, legs, plans.first) if @embedding
      plans.each do |plan|
        found << ["pages of #{plan.page_size}, #{plan.fusion}, #{plan.depth} deep", -> { walk(question, plan) }]
      end
      found
    end

    # The walk over the pages fuses by one method, so of a shallow walk only the other is computed from the legs too.
    def dense_stages(question, legs, plan)
      dense = @embedding.match_dense(question, topk: TOPK, similarity: -1.0)
      methods = plan.depth == TOPK ? METHODS : METHODS - [plan.fusion]
      fused = methods.map do |method|
        expression = HybridSearch::AdapterKit::FusionExpr.new(method, TOPK)
        ["fuse #{method}", -> { HybridSearch::Fusion.fuse(expression, legs, normalizer: %w[min_max none]) }]
      end
      [["dense leg rank", -> { legs[1] = store.dense_leg(dense) }], *fused]
    end

    # The plans of a query by its place in the file: page sizes, fusions and depths take turns.
    # A collection of at most SMALL documents is walked in every page size, any other in one.
    def walk_plans(place)
      mixed = place * 40_503 / 16
      deep = (mixed / 14 % DEEP_EVERY).zero? ? TOPK : SHALLOW
      sizes = store.count > SMALL ? [PAGE_SIZES[mixed % 7]] : PAGE_SIZES
      sizes.map { |size| WalkPlan.new(size, METHODS[mixed / 7 % 2], @depth || deep) }
    end

    # Every page: its hits with all their scores, and one line of what else it says.
    def walk(question, plan)
      size = plan.page_size
      window = HybridSearch::Retrievers::Window.length(size, plan.depth, false)
      rows = []
      shown = []
      passing = 0
      block = -1
      options = { page_size: size, topk: plan.depth, fusion: plan.fusion, aggs: size >= 30 }
      @retriever.each_page(question, **options) do |page|
        if (page.page - 1) * size / window != block
          block = (page.page - 1) * size / window
          passing += page.window_total
        end
        page.chunks.each do |chunk|
          shown << chunk.chunk_id
          rows << [chunk.chunk_id, chunk.similarity, chunk.term_similarity, chunk.vector_similarity, chunk.rank_feature]
        end
        rows << [page_line(page)]
      end
      @walks << { "page_size" => size, "shown" => shown.size, "distinct" => shown.uniq.size, "passing" => passing }
      rows
    end

    def page_line(page)
      counts = page.doc_aggs.first(5).map { |entry| "#{entry["doc_name"]} (#{entry["doc_id"]}) #{entry["count"]}" }
      more = page.has_more ? "more" : "last"
      "page #{page.page} of #{page.total} candidates, #{page.window_total} pass in its block, #{more}: " \
        "#{counts.join(", ")}"
    end
  end

  # Digests of stages.
  module StageDigest
    module_function

    # @return [String] the SHA-256 of a stage: a text, a list of texts, or rows of an id and scores
    def of(value)
      return of_texts([value || ""]) if value.nil? || value.is_a?(::String)

      value.all?(::String) ? of_texts(value) : of_rows(value)
    end

    # @return [String] the SHA-256 of texts, each ended by a NUL
    def of_texts(texts)
      Digest::SHA256.hexdigest(texts.map { |text| "#{text}\0" }.join)
    end

    # @return [String] the SHA-256 of the ids, each ended by a NUL, and of all scores' hex digits, row by row
    def of_rows(rows)
      scores = rows.flat_map { |row| row.drop(1) }
      Digest::SHA256.hexdigest(rows.map { |row| "#{row[0]}\0" }.join + scores.pack("G*").unpack1("H*"))
    end
  end
end

loaded = nil

Conformance.operation("collection.load") do |params, given, _trace|
  loaded = nil
  loaded = Conformance::LoadedCollection.new(given["path"], params["model"], params["depth"])
  {
    "name" => loaded.collection.name,
    "model" => loaded.collection.model,
    "documents" => loaded.store ? loaded.store.count : 0,
    "queries" => loaded.collection.queries.size,
    "digest" => Conformance::StageDigest.of_texts(loaded.document_digests)
  }
end

Conformance.operation("collection.documents") { |_params, _given, _trace| loaded.document_digests }

Conformance.operation("collection.document") { |_params, given, _trace| loaded.document(given["id"]) }

Conformance.operation("collection.query") do |_params, given, _trace|
  loaded.walks.clear
  stages = loaded.stages(given["query"]).map { |name, make| [name, Conformance::StageDigest.of(make.call)] }
  { "stages" => stages, "walks" => loaded.walks.dup }
end

Conformance.operation("collection.stage") do |_params, given, _trace|
  found = nil
  loaded.stages(given["query"]).each do |name, make|
    value = make.call
    found = value if name == given["stage"]
    break if found
  end
  found
end
