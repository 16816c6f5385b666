# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # How the answers of a text leg and a dense leg become one (FUS-1).
    class FusionExpr
      include Value

      DEFAULTS = {
        "weighted_sum" => { "weights" => "0.05,0.95" }.freeze,
        "rrf" => { "k" => 60 }.freeze
      }.freeze

      # @return [String] "weighted_sum" or "rrf"
      attr_reader :method
      # @return [Integer] how many documents the fused list holds at the most; at least 1
      attr_reader :topn
      # @return [Hash{String=>Object}] weighted_sum: `weights`, "t,d" (text, dense), default "0.05,0.95";
      #   rrf: `k`, default 60, at least 0
      attr_reader :params

      # @raise [InvalidInputError] another method, a wrong topn, an unknown or wrong param
      def initialize(method, topn, params = {})
        @method = Validation.choice("method", method, DEFAULTS.keys)
        @topn = Validation.integer("topn", topn, 1)
        given = Validation.mapping("params", params)
        Validation.known("param of #{@method}", given.keys, DEFAULTS.fetch(@method).keys)
        @params = DEFAULTS.fetch(@method).merge(given).freeze
        if @method == "weighted_sum"
          Fusing::Weights.parse(@params["weights"], 2)
        else
          Validation.number("k", @params["k"], 0)
        end
        freeze
      end

      # @return [FusionExpr] the same fusion with another limit
      def with_topn(topn)
        with(topn:)
      end
    end
  end
end
