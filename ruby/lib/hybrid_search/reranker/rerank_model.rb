# frozen_string_literal: true

module HybridSearch
  module Rerankers
    # Wraps any rerank model, which scores texts against a query, with checks, scaling and a time limit (RNK-3, RNK-7).
    class RerankModel
      include Base::ShortInspect

      SMALLEST_SPREAD = 1e-3
      # The maximum wait in seconds; interpreters cannot wait for much longer.
      LONGEST_WAIT = 1e9
      # The seconds of grace in which a model that enforces its own time limit may still report that it was late.
      GRACE = 0.2
      # The maximum number of abandoned late calls in a process.
      MOST_LEFT_BEHIND = 32

      @left_behind = []
      @lock = Thread::Mutex.new

      class << self
        # @param thread [Thread] the thread of an abandoned call
        # @return [void]
        def leave_behind(thread)
          @lock.synchronize { @left_behind.push(thread) }
        end

        # @return [Integer] the number of abandoned calls that are still running
        def left_behind
          @lock.synchronize { @left_behind.select!(&:alive?) || @left_behind }.size
        end
      end

      # Return finite scores on [0, 1]: unchanged if all are in that range; otherwise (x - min) / (max - min), or
      # clamped if the spread is below 0.001. All scores are considered together.
      #
      # @param scores [Array<Float>]
      # @return [Array<Float>]
      # @raise [RerankError] the spread overflows
      def self.scale(scores)
        return scores.dup if scores.all? { |score| score.between?(0.0, 1.0) }

        spread = scores.max - scores.min
        raise RerankError, "the spread of the rerank model's scores is not finite" unless spread.finite?
        return scores.map { |score| score.clamp(0.0, 1.0) } if spread < SMALLEST_SPREAD

        Fusions::ScoreNormalizer.min_max(scores)
      end

      # @param name [String] the name of the argument
      # @param model [#similarity, #call]
      # @return [#similarity, #call] the given model
      # @raise [InvalidInputError] the model is neither a callable nor an object with `similarity`
      def self.accept(name, model)
        return model if Base::ObjectChecks.able?(model, %w[similarity])

        raise Base::Validation.failure(name, model, "a callable or an object with similarity")
      end

      # @param model [#similarity, #call] returns one finite number for each text
      # @param fail_open [Boolean] whether a failing or late model is a warning (true) or a {RerankError}
      # @param rerank_timeout [Float] maximum number of seconds for the model, over all batches; above 0. A model with
      #   `limited_to(seconds)`, such as {HttpReranker}, enforces the limit itself. Any other late model cannot be
      #   stopped: its result is discarded, and the call continues in a thread of its own. After 32 such abandoned
      #   calls, no model is called until one of them ends
      # @param rerank_batch_size [Integer, nil] maximum number of texts in one call, at least 1; nil passes all texts at
      #   once. Scaling always considers all scores together
      # @param name [String] the name of the model in messages
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(model, fail_open: true, rerank_timeout: 30.0, rerank_batch_size: nil, name: "model", **unknown)
        Base::Validation.known("option", unknown.keys, %w[model fail_open rerank_timeout rerank_batch_size])
        @model = RerankModel.accept(name, model)
        @fail_open = Base::Validation.boolean("fail_open", fail_open)
        @timeout = Base::Validation.number("rerank_timeout", rerank_timeout)
        unless @timeout.positive?
          raise InvalidInputError,
                "rerank_timeout must be a number above 0, not #{Base::Validation.describe(rerank_timeout)}"
        end

        @batch_size = rerank_batch_size.nil? ? nil : Base::Validation.integer("rerank_batch_size", rerank_batch_size, 1)
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @param scaled [Boolean] whether to scale the scores to [0, 1] (RNK-3) or return the model's own (DFY-4)
      # @return [Array(Array<Float>, nil), Array(nil, String)] the scores and no warning; or no scores and a warning, if
      #   the model fails and `fail_open` is true
      # @raise [RerankError] the model failed or was late, and `fail_open` is false
      def attempt(query, texts, scaled: true)
        [scaled ? scores(query, texts) : raw_scores(query, texts), nil]
      rescue RerankError => e
        warning = @fail_open ? "ranked without the rerank model: #{e.message}" : e.message
        Base::Log.warning(warning)
        raise unless @fail_open

        [nil, warning]
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @return [Array<Float>] the model's scores on [0, 1]; zeros for an empty query or no texts, without calling the
      #   model
      # @raise [RerankError] the model raised, was late, or returned a wrong number of scores or unusable ones
      def scores(query, texts)
        RerankModel.scale(raw_scores(query, texts))
      end

      # @param query [String]
      # @param texts [Array<String>]
      # @return [Array<Float>] the model's own scores; zeros for an empty query or no texts, without calling the model
      # @raise [RerankError] as for {#scores}
      def raw_scores(query, texts)
        query = Base::Validation.text("query", query)
        checked = Base::Validation.texts("texts", texts)
        return Array.new(checked.size, 0.0) if query.empty? || checked.empty?

        call(query, checked)
      end

      private

      # Return the model's scores, computed in a thread of its own, so that a late call can be abandoned.
      def call(query, texts)
        scorer, seconds = scorer_and_seconds
        late = Thread::Queue.new
        thread = started { answer(scorer, query, texts, late) }
        unless thread.join([seconds, LONGEST_WAIT].min)
          late.close
          RerankModel.leave_behind(thread)
          raise RerankError, "the rerank model gave no answer within #{Base::Validation.describe(@timeout)} seconds"
        end

        scores, problem = thread.value
        raise problem if problem.is_a?(RerankError)
        raise RerankError, "the rerank model failed: #{Base::Validation.foreign_error(problem)}" if problem

        scores
      end

      # Return the function that scores, and the number of seconds after which to abandon it.
      def scorer_and_seconds
        return [@model.limited_to(@timeout), @timeout + GRACE] if @model.respond_to?(:limited_to)

        [@model.respond_to?(:similarity) ? @model.method(:similarity) : @model, @timeout]
      end

      # Return a new thread that runs the block, unless too many calls have been abandoned.
      def started(&)
        if RerankModel.left_behind >= MOST_LEFT_BEHIND
          raise RerankError, "the rerank model was not called: #{MOST_LEFT_BEHIND} late calls are still under way"
        end

        Thread.new(&).tap { |thread| thread.report_on_exception = false }
      end

      def answer(scorer, query, texts, late)
        [in_batches(scorer, query, texts, late), nil]
      rescue StandardError => e
        [nil, e]
      end

      # Return the scores of all batches, in text order; no further batch begins once it is too late.
      def in_batches(scorer, query, texts, late)
        Base::Slices.batches(texts, @batch_size || texts.size).flat_map do |batch|
          break [] if late.closed?

          check(scorer.call(query, batch), batch.size)
        end
      end

      def check(answer, count)
        unless answer.is_a?(::Array)
          raise Base::Validation.failure("the rerank model's answer", answer, "a list of scores", RerankError)
        end
        raise RerankError, "the rerank model gave #{answer.size} scores for #{count} texts" if answer.size != count

        begin
          answer.each_with_index.map { |value, index| Base::Validation.number("scores[#{index}]", value) }
        rescue InvalidInputError => e
          raise RerankError, "the rerank model gave an unusable score: #{e.message}"
        end
      end
    end
  end
end
