# frozen_string_literal: true

module HybridSearch
  module Convergence
    # Has a model cut each text before it scores it, so that both end in its time, and fail as it does (CNV-5, RNK-7).
    class TruncatingModel
      include Base::ShortInspect

      # @param model [#similarity, #call]
      # @param tokens [Integer] how many of them are left
      # @return [#similarity, #call] the model that is to be asked: where it cuts no texts it is as it was
      def self.of(model, tokens)
        return model unless model.respond_to?(:truncate)

        (model.respond_to?(:limited_to) ? LimitedTruncatingModel : TruncatingModel).new(model, tokens)
      end

      # @param model [#truncate] one of RNK-3 that has `truncate(text, tokens)`
      # @param tokens [Integer] how many of them are left
      def initialize(model, tokens)
        @model = model
        @tokens = tokens
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @return [Object] the model's scores of the texts that it cut
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

    # The same for a model that ends in time by itself.
    class LimitedTruncatingModel < TruncatingModel
      # @param seconds [Float]
      # @return [Proc] the same as {#similarity}, for calls that together end within so many seconds
      def limited_to(seconds)
        limited = @model.limited_to(seconds)
        ->(query, texts) { asked(limited, query, texts) }
      end
    end
  end
end
