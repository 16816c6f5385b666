# frozen_string_literal: true

# Records, and an embedder that notes what it is asked, for specs of generations.
module GenerationsHelpers
  # What embedders were asked.
  def texts
    @texts ||= []
  end

  def embedder
    @embedder ||= named("first", 8)
  end

  # An embedder that notes what it is asked.
  def named(model, dimension)
    hashing = HybridSearch::HashingEmbedder.new(dimension:)
    provider = lambda do |asked|
      texts.concat(asked)
      hashing.encode(asked)
    end
    HybridSearch::Embedding.new(provider, model:, dimension:)
  end

  def record(id, content = "article #{id}", **others)
    { id: id.to_s, content:, **others }
  end

  def names(generations)
    generations.status.generations.map { |one| one["name"] }
  end
end
