# frozen_string_literal: true

module Conformance
  # A service behind HTTP for cases, which say what it answers; see the Python twin for their form.
  class ScriptedService
    attr_reader :sent, :slept

    def initialize(answers)
      @answers = answers.dup
      @seconds = 0.0
      @sent = []
      @slept = []
    end

    def timing(chance)
      clock = -> { @seconds }
      sleep = lambda do |seconds|
        @slept << seconds
        @seconds += seconds
      end
      HybridSearch::Client::Timing.new(clock:, now: clock, sleep:, chance: -> { chance })
    end

    def post(body, headers, deadline)
      @sent << [headers.sort.to_h, body.dup.force_encoding(Encoding::UTF_8), deadline.left]
      answer = @answers.shift
      @seconds += answer.fetch("seconds", 0.0)
      if answer.key?("problem")
        raise HybridSearch::Client::ExchangeError.new(answer["problem"], retryable: answer.fetch("retryable", true))
      end

      HybridSearch::Client::ClientResponse.new(status: answer.fetch("status", 200), retry_after: answer["retry_after"],
                                               body: text(answer).b)
    end

    private

    def text(answer)
      return HybridSearch::Base::JsonWriter.write(answer["json"]) if answer.key?("json")
      return answer.fetch("text", "") unless answer.key?("filled")

      first, repeated, count, last = answer["filled"]
      first + (repeated * count) + last
    end
  end
end
