# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Has a model cut each text before scoring; cutting shares scoring's time limit and error handling (CNV-5, RNK-7).
    class TruncatingModel
      include Base::ShortInspect

      # @param model [#similarity, #call]
      # @param tokens [Integer] the number of tokens to which texts are cut
      # @return [#similarity, #call] the wrapped model, or the model itself if it cannot cut texts
      def self.of(model, tokens)
        return model unless model.respond_to?(:truncate)

        (model.respond_to?(:limited_to) ? LimitedTruncatingModel : TruncatingModel).new(model, tokens)
      end

      # @param model [#truncate] a model of RNK-3 with `truncate(text, tokens)`
      # @param tokens [Integer] the number of tokens to which texts are cut
      def initialize(model, tokens)
        @model = model
        @tokens = tokens
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @return [Object] the model's scores of the texts, after it has cut them
      def similarity(query, texts)
        asked(@model.respond_to?(:similarity) ? @model.method(:similarity) : @model, query, texts)
      end

      private

      def inspected
        { model: @model, tokens: @tokens }
      end

      def asked(scorer, query, texts)
        cut = texts.map { |text| @model.truncate(text, @tokens) }
        scorer.call(query, Base::Validation.texts("cut_texts", cut))
      end
    end

    # The same for a model that enforces a time limit itself.
    class LimitedTruncatingModel < TruncatingModel
      # @param seconds [Float]
      # @return [Proc] the same as {#similarity}, for calls that take at most `seconds` together
      def limited_to(seconds)
        limited = @model.limited_to(seconds)
        ->(query, texts) { asked(limited, query, texts) }
      end
    end
  end
end
