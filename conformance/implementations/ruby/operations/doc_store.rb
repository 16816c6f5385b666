# frozen_string_literal: true

# Operations of `doc_store_adapter/`; the form of their input is told in the reference's `operations/doc_store.py`.
module Conformance
  # Expressions, trees and results as plain data.
  module DocStoreData
    FIELD = "content_ltks"

    module_function

    def store(params, given)
      store = Stores.store(**params.transform_keys(&:to_sym))
      store.insert(given["documents"])
      store
    end

    def exprs(given)
      given.is_a?(Array) ? given.map { |item| expr(item) } : given
    end

    def expr(item)
      kind, options = item.is_a?(Hash) ? item.first : nil
      case kind
      when "text" then text(options)
      when "bag" then bag(options)
      when "dense" then dense(options)
      when "fusion"
        HybridSearch::AdapterKit::FusionExpr.new(options["method"], options["topn"], options["params"] || {})
      else item
      end
    end

    def text(options)
      others = options.except("fields", "tree").transform_keys(&:to_sym)
      HybridSearch::AdapterKit::MatchTextExpr.new(fields: options["fields"], tree: tree(options["tree"]), **others)
    end

    def bag(options)
      HybridSearch::AdapterKit::MatchBm25fExpr.new(**options.transform_keys(&:to_sym))
    end

    def dense(options)
      HybridSearch::AdapterKit::MatchDenseExpr.new(**options.transform_keys(&:to_sym))
    end

    def tree(node)
      kind, child = node.is_a?(Hash) ? node.first : nil
      case kind
      when "term" then HybridSearch::AdapterKit::Tree::Term.new(child)
      when "phrase" then HybridSearch::AdapterKit::Tree::Phrase.new(child, slop: node.fetch("slop", 0))
      when "any_of" then HybridSearch::AdapterKit::Tree::AnyOf.new(child.map { |item| tree(item) })
      when "boost" then HybridSearch::AdapterKit::Tree::Boost.new(tree(child), node["factor"])
      when "group" then HybridSearch::AdapterKit::Tree::Group.new(tree(child))
      when "groups"
        child.times.inject(tree(node["of"])) { |inner, _| HybridSearch::AdapterKit::Tree::Group.new(inner) }
      else node
      end
    end

    # The raw idf of every term of one field, by term, and their average (DOC-3); nil where there is no term.
    def idf(variant, texts)
      formula = HybridSearch::Stores::Snapshot::Bm25.of(variant)
      holding = texts.flat_map { |text| text.split(/ /).reject(&:empty?).uniq }.tally
      return [[], nil] if holding.empty?

      raw = holding.sort.map { |term, count| [term, formula.raw_idf(texts.size, count)] }
      [raw, formula.average_idf(texts.size, holding.values.tally)]
    end

    def result(found)
      {
        "total" => found.total, "ids" => found.ids, "fields" => found.fields, "scores" => found.scores,
        "query_vector" => found.query_vector, "highlight" => found.highlight, "aggs" => found.aggs,
        "keywords" => found.keywords
      }
    end

    # Empties, or replaces, as far as it is let.
    def try_to_change
      yield
    rescue FrozenError
      nil
    end

    def listed(found)
      { "total" => found.total, "ids" => found.ids }
    end

    def step(store, step)
      method, argument = step.first
      case method
      when "insert", "update", "upsert", "delete", "get" then store.public_send(method, argument)
      when "list" then listed(store.search(select_fields: [], **argument.transform_keys(&:to_sym)))
      when "rank" then store.rank(exprs(argument))
      when "keep_vector_model" then store.keep_vector_model(*argument)
      else store.public_send(method)
      end
    rescue HybridSearch::Error => e
      { "error" => { "class" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message } }
    end
  end

  operation("doc_store.search") do |params, given, trace|
    store = DocStoreData.store(params, given)
    exprs = DocStoreData.exprs(given.fetch("match", []))
    arguments = given.except("documents", "match").transform_keys(&:to_sym)
    found = store.search(match_exprs: exprs, **arguments)
    exprs.take(2).each do |expr|
      next if expr.is_a?(HybridSearch::AdapterKit::FusionExpr)

      stage = expr.is_a?(HybridSearch::AdapterKit::MatchDenseExpr) ? "dense leg rank" : "text leg rank"
      trace.stage(stage, store.rank([expr], given["filters"]))
    end
    fusion = HybridSearch::Stores::Queries::MatchExprs.new(exprs).fusion
    trace.stage("fuse", store.rank(exprs, given["filters"])) if fusion
    DocStoreData.result(found)
  end

  operation("doc_store.bm25") do |params, given, trace|
    store = Stores.store(bm25: params["bm25"])
    store.insert(given["texts"].map { |identifier, text| { "id" => identifier, DocStoreData::FIELD => text } })
    nodes = HybridSearch::AdapterKit::Tree
    tree = nodes::AnyOf.new(given["query"].map { |term| nodes::Term.new(term) })
    fields = [[DocStoreData::FIELD, 1.0]]
    ranking = store.rank([HybridSearch::AdapterKit::MatchTextExpr.new(fields:, tree:, topn: given["texts"].size)])
    trace.stage("weigh", DocStoreData.idf(params["bm25"], given["texts"].map(&:last)))
    ranking
  end

  operation("doc_store.text_leg") do |params, given, trace|
    ranking = DocStoreData.store(params, given).rank([DocStoreData.text(given["text"])], given["filters"])
    trace.stage("text leg rank", ranking)
    ranking
  end

  operation("doc_store.bm25f_leg") do |params, given, trace|
    ranking = DocStoreData.store(params, given).rank([DocStoreData.bag(given["bag"])], given["filters"])
    trace.stage("text leg rank", ranking)
    ranking
  end

  operation("doc_store.dense_leg") do |params, given, trace|
    ranking = DocStoreData.store(params, given).rank([DocStoreData.dense(given["dense"])], given["filters"])
    trace.stage("dense leg rank", ranking)
    ranking
  end

  operation("doc_store.filters") do |params, given, _trace|
    DocStoreData.store(params, given).rank([], given["filters"]).map(&:first)
  end

  operation("doc_store.highlight") do |_params, given, _trace|
    HybridSearch::Stores::Queries::Highlight.new(given["keywords"]).mark(given["text"])
  end

  operation("doc_store.aggregations") do |_params, given, _trace|
    HybridSearch::Stores::Queries::Aggregations.count(given["values"])
  end

  operation("doc_store.kept_result") do |_params, given, _trace|
    parts = given.transform_values(&:dup)
    made = HybridSearch::AdapterKit::SearchResult.new(**parts.transform_keys(&:to_sym))
    [*parts.values, *parts.keys.map { |name| made.public_send(name) }].grep(Enumerable).each do |value|
      DocStoreData.try_to_change { value.clear }
    end
    parts.each_key { |name| DocStoreData.try_to_change { made.instance_variable_set("@#{name}", nil) } }
    DocStoreData.result(made)
  end

  operation("doc_store.documents") do |params, given, _trace|
    store = Stores.store(**params.transform_keys(&:to_sym))
    given["steps"].map { |step| DocStoreData.step(store, step) }
  end
end
