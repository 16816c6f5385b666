# frozen_string_literal: true

# Puts mistakes that somebody might make into the port, named by the variable STRANGERS_FAULT and joined by " + ", for
# the tests of what reports say about where they are:
# `ruby -r ./conformance/known_bad/strangers.rb conformance/implementations/ruby/main.rb`

$LOAD_PATH.unshift(File.expand_path("../implementations/ruby", __dir__), File.expand_path("../../ruby/lib", __dir__))

require "internals"

# Modules that are put before the classes they break.
module Strangers
  # Whole numbers are divided as such.
  module IntegerDivision
    def inverse_frequencies(documents)
      frequencies = documents.flat_map(&:keys).tally
      frequencies.transform_values { |found| Math.log((1 + documents.size) / (1 + found)) + 1.0 }
    end
  end

  # What is kept does not tell queries and passages apart.
  module StaleCache
    private

    def key(_kind, text)
      super("text", text)
    end
  end

  # Every word has the value of the row before.
  module TableOffByOne
    def self.before(values)
      @before ||= values.each_cons(2).to_h(&:reverse)
    end

    def idf(word)
      TableOffByOne.before(@values).fetch(super)
    end
  end

  # A quotient by a product is two quotients.
  module DivisionsInTurn
    def cosine_of(left, left_norm, right, right_norm)
      return 0.0 if left_norm.zero? || right_norm.zero?

      dot(left, right) / left_norm / right_norm
    end
  end

  # Sums run from the last value to the first.
  module SumFromTheRight
    def sum_left(values)
      super(values.to_a.reverse)
    end
  end

  # The first of a list has the rank 0.
  module RanksFromZero
    def fuse(rankings, constant)
      constant.is_a?(Numeric) && constant.positive? ? super(rankings, constant - 1) : super
    end
  end

  # The score of the first stage counts nothing next to the model's.
  module FirstStageIgnored
    private

    def scored(identifier, stage1_score, model_score, normalized)
      super(identifier, stage1_score, model_score, normalized && 0.0)
    end
  end

  # Equal scores remain in the order in which they came.
  module TiesInInputOrder
    def rank(scored)
      scored.to_a.each_with_index.sort_by { |(_, score), place| [-score, place] }.map(&:first)
    end
  end

  # The variance is divided by n - 1.
  module SampleDeviation
    private

    def z_score(scores)
      super.map { |value| value * Math.sqrt((scores.size - 1).fdiv(scores.size)) }
    end
  end

  # A document's tags are not divided by their norm.
  module TagsWithoutNorm
    private

    def tag_score(query, query_norm, tags)
      super * Math.sqrt(tags.values.sum { |value| value * value })
    end
  end

  # A final y remains.
  module StemsWithY
    private

    def step1c(word)
      word
    end
  end

  # The frequency of a term lacks its half.
  module IdfWithoutHalf
    private

    def idf(count, total)
      Math.log10(10.0 + ((total - count) / (count + 1.0)))
    end
  end

  # A block that is just full is taken for one with more behind it.
  module OneMorePage
    def has_more?(passing, total)
      self.end <= passing || super
    end
  end

  # The vectors of documents count nothing.
  module VectorsIgnored
    private

    def weighted(document, weights, _vector, keyword)
      super(document, weights, 0.0, keyword)
    end
  end

  # The largest score is not taken off first.
  module PlainSoftmax
    def softmax(scores, temperature)
      return super unless temperature.positive?

      exponentials = scores.map { |score| Math.exp(score / temperature) }
      total = sum_left(exponentials)
      exponentials.map { |value| value / total }
    end
  end

  FAULTS = {
    "integer division" => [HybridSearch::PostProcessors::KeywordCosine.singleton_class, IntegerDivision],
    "stale cache" => [HybridSearch::EmbeddingCache, StaleCache],
    "table off by one" => [HybridSearch::Text::IdfTable, TableOffByOne],
    "one division after the other" => [HybridSearch::Base::Numeric.singleton_class, DivisionsInTurn],
    "sum from the right" => [HybridSearch::Base::Numeric.singleton_class, SumFromTheRight],
    "ranks from 0" => [HybridSearch::Fusions::Rrf.singleton_class, RanksFromZero],
    "first stage ignored" => [HybridSearch::PartialRerank, FirstStageIgnored],
    "ties in input order" => [HybridSearch::Base::Ordering.singleton_class, TiesInInputOrder],
    "sample deviation" => [HybridSearch::Fusions::ScoreNormalizer.singleton_class, SampleDeviation],
    "tags without norm" => [HybridSearch::Rerankers::RankFeatures.singleton_class, TagsWithoutNorm],
    "stems with y" => [HybridSearch::Text::Stemmer, StemsWithY],
    "idf without half" => [HybridSearch::TermWeight, IdfWithoutHalf],
    "one more page" => [HybridSearch::Retrievers::Window, OneMorePage],
    "vectors ignored" => [HybridSearch::PostProcessors::WeightedScore.singleton_class, VectorsIgnored],
    "plain softmax" => [HybridSearch::Base::Numeric.singleton_class, PlainSoftmax]
  }.freeze
  private_constant :FAULTS

  # @param names [String] the mistakes, joined by " + "
  # @return [void]
  def self.make(names)
    names.split(" + ").each do |name|
      where, mistake = FAULTS.fetch(name) { abort "no such fault: #{name}" }
      where.prepend(mistake)
    end
  end
end

Strangers.make(ENV.fetch("STRANGERS_FAULT"))
