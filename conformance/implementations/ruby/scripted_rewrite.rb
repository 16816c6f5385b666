# frozen_string_literal: true

module Conformance
  # A rewrite of questions that gives the answers of a case one after another, the last one from then on; keeps what it
  # was asked. An answer that is an object of `raise` is a message that it raises.
  class ScriptedRewrite
    attr_reader :asked

    def initialize(answers)
      @answers = answers
      @asked = []
    end

    def call(question)
      @asked << question
      answer = @answers[[@asked.size, @answers.size].min - 1]
      raise answer["raise"] if answer.is_a?(::Hash) && answer.key?("raise")

      answer
    end
  end
end
