# frozen_string_literal: true

# Puts one mistake that somebody might make into the port, named by the variable STRANGERS_FAULT, for the tests of what
# reports say about where it is: `ruby -r ./conformance/known_bad/strangers.rb conformance/implementations/ruby/main.rb`

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
end

case ENV.fetch("STRANGERS_FAULT")
when "integer division"
  HybridSearch::PostProcessors::KeywordCosine.singleton_class.prepend(Strangers::IntegerDivision)
when "stale cache" then HybridSearch::EmbeddingCache.prepend(Strangers::StaleCache)
when "table off by one" then HybridSearch::Text::IdfTable.prepend(Strangers::TableOffByOne)
when "one division after the other" then HybridSearch::Base::Numeric.singleton_class.prepend(Strangers::DivisionsInTurn)
else abort "no such fault"
end
