# frozen_string_literal: true

# Records, and an embedder that records its texts, for specs of generations.
module GenerationsHelpers
  # The texts that embedders were asked for.
  def texts
    @texts ||= []
  end

  def embedder
    @embedder ||= named("first", 8)
  end

  # An embedder that records its texts.
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
