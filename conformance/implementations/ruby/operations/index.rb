# frozen_string_literal: true

# Operations of the front door (IDX-3): a script of calls on one index.
module IndexOperations
  module_function

  def step(index, method, argument = nil, options = {})
    answer(index, method, argument, (options || {}).transform_keys(&:to_sym))
  rescue HybridSearch::Error => e
    { "error" => e.class.name.split("::").last, "message" => e.message }
  end

  def answer(index, method, argument, options)
    case method
    when "add"
      seen = []
      added = index.add(argument, progress: ->(done, total) { seen << [done, total] }, **options)
      { "added" => added, "progress" => seen }
    when "search" then index.search(argument, **options).to_h.except("timings")
    when "each_page" then index.each_page(argument, **options).map { |page| page.chunks.map(&:chunk_id) }
    when "count" then index.count
    else index.public_send(method, argument)
    end
  end
end

Conformance.operation("index.script") do |params, given, _trace|
  dimension = params["dimension"]
  embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
  index = HybridSearch::Index.new(embedding:, **(params["options"] || {}).transform_keys(&:to_sym))
  given["steps"].map { |step| IndexOperations.step(index, *Conformance::OwnTypes.read(step)) }
end
