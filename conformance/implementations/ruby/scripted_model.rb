# frozen_string_literal: true

module Conformance
  # A rerank model that gives the scores of a case, raises or is late; keeps what it was asked. The script is what it
  # answers, or an object of `late` (seconds), `raise` (a message), `by_length` (a factor of the length of each text),
  # `scores` (text → score) and `answer`.
  class ScriptedModel
    attr_reader :asked

    def initialize(script)
      @script = script
      @asked = []
    end

    def similarity(query, texts)
      @asked << [query, texts.dup]
      return @script unless @script.is_a?(::Hash)

      sleep(@script["late"]) if @script.key?("late")
      raise @script["raise"] if @script.key?("raise")
      return texts.map { |text| text.length * @script["by_length"] } if @script.key?("by_length")
      return texts.map { |text| score(text) } if @script.key?("scores")

      @script["answer"]
    end

    # The scores with the other sign.
    def reversed(query, texts)
      similarity(query, texts).map(&:-@)
    end

    private

    def score(text)
      @script["scores"].fetch(text) { raise "no score for #{text}" }
    end
  end
end
