# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # The fusion of the ranked lists of a text leg and a dense leg (FUS-1).
    class FusionExpr
      include Base::Value

      # @return [String] one of {Fusions::FusionMethods::METHODS}
      attr_reader :method
      # @return [Integer] maximum number of documents in the fused list; at least 1
      attr_reader :topn
      # @return [Hash{String=>Object}] weighted_sum: `weights`, "t,d" (text, dense), default "0.05,0.95"; rrf: `k`,
      #   default 60, at least 0; the other methods take no params
      attr_reader :params

      # @raise [InvalidInputError] another method, a wrong topn, an unknown or wrong param
      def initialize(method, topn, params = {})
        @method = Base::Validation.choice("method", method, Fusions::FusionMethods::METHODS.keys)
        @topn = Base::Validation.integer("topn", topn, 1)
        known = Fusions::FusionMethods::METHODS.fetch(@method).params
        given = Base::Validation.mapping("params", params)
        Base::Validation.known("param of #{@method}", given.keys, known.keys)
        @params = known.transform_values(&:default).merge(given).freeze
        known.each { |name, param| param.check.call(name, @params[name]) }
        freeze
      end

      # @return [FusionExpr] the same fusion with another limit
      def with_topn(topn)
        with(topn:)
      end
    end
  end
end
