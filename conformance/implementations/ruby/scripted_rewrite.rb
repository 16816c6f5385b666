# frozen_string_literal: true

module Conformance
  # A rewrite of questions that gives the answers of a case one after another, the last one from then on; keeps what it
  # was asked. An answer that is an object of `raise` is a message that it raises, one of `repeat` a text and how often
  # it stands in the answer, one of `append` a text that it appends to the very String that it gets.
  class ScriptedRewrite
    attr_reader :asked

    def initialize(answers)
      @answers = answers
      @asked = []
    end

    def call(question)
      @asked << question.dup
      answer = @answers[[@asked.size, @answers.size].min - 1]
      return answer unless answer.is_a?(::Hash)

      raise answer["raise"] if answer.key?("raise")
      return question << answer["append"] if answer.key?("append")

      answer.key?("repeat") ? answer["repeat"].reduce(:*) : answer
    end
  end
end
