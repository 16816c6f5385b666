# frozen_string_literal: true

module HybridSearch
  # Reranks the head of ranked lists with a model; the rest keeps its order (RNK-8).
  #
  # Entries that the model scored come before all others. Scores of the two parts are therefore never compared, no score
  # is invented, and paging and sums of scores stay correct.
  class PartialRerank
    include Base::ShortInspect

    # A partly reranked list.
    class PartialOutcome
      include Base::Listing
      include Base::Value

      # @return [Array<TieredEntry>] in the order of ORD-2
      attr_reader :entries
      # @return [String] "applied": the model scored the head; "skipped": nothing was to be scored; "failed": the model
      #   failed
      attr_reader :status
      # @return [Array<String>] readable texts about steps that continued without the model
      attr_reader :warnings

      def initialize(entries:, status:, warnings: [])
        @entries = entries.dup.freeze
        @status = status
        @warnings = warnings.dup.freeze
        freeze
      end

      private

      def items
        entries
      end
    end

    # One entry of a partly reranked list (RNK-8).
    class TieredEntry
      include Base::Value

      # @return [String]
      attr_reader :id
      # @return [Integer] 0 if the model scored it, else 1
      attr_reader :tier
      # @return [Float] its score within its tier: the model's score, alone or mixed, or the stage-1 score
      attr_reader :score
      # @return [Float] its given score
      attr_reader :stage1_score
      # @return [Float, nil] the model's score on [0, 1], nil in tier 1
      attr_reader :model_score
      # @return [Float, nil] the stage-1 score, min-max normalised over the head, if it was mixed in
      attr_reader :normalized_score

      def initialize(id:, tier:, score:, stage1_score:, model_score: nil, normalized_score: nil)
        @id = id
        @tier = tier
        @score = score
        @stage1_score = stage1_score
        @model_score = model_score
        @normalized_score = normalized_score
        freeze
      end
    end

    OPTIONS = %w[model rerank_top_k rerank_fusion rerank_weight rerank_batch_size fail_open rerank_timeout].freeze
    FUSIONS = %w[replace linear].freeze

    # @param model [#similarity, #call] see RNK-3
    # @param rerank_top_k [Integer] maximum number of entries for the model, at least 0
    # @param rerank_fusion [String] "replace": only the model's score counts; "linear": weight·model + (1 −
    #   weight)·stage-1 score, the latter min-max normalised over the head
    # @param rerank_weight [Float] the model's share in a linear mix, 0 to 1
    # @param rerank_batch_size [Integer, nil] maximum number of texts in one call of the model, at least 1; nil passes
    #   all texts at once
    # @param fail_open [Boolean] whether a failing or late model leaves the list unchanged, with a warning (RNK-7)
    # @param rerank_timeout [Float] maximum number of seconds for the model, over all batches; above 0
    # @raise [InvalidInputError] an argument is not acceptable
    def initialize(model, rerank_top_k: 64, rerank_fusion: "replace", rerank_weight: 0.8, rerank_batch_size: nil,
                   fail_open: true, rerank_timeout: 30.0, **unknown)
      Base::Validation.known("option", unknown.keys, OPTIONS)
      @model = Rerankers::RerankModel.new(model, fail_open:, rerank_timeout:, rerank_batch_size:)
      @top_k = Base::Validation.integer("rerank_top_k", rerank_top_k, 0)
      @fusion = Base::Validation.choice("rerank_fusion", rerank_fusion, FUSIONS)
      @weight = Base::Validation.number("rerank_weight", rerank_weight, 0, 1)
    end

    # @param query [String] as typed; an empty query leaves the list unchanged, with a warning
    # @param ids [Array<String>] the entries, each once; they are first sorted by ORD-1, so the head is the best of them
    # @param scores [Array<Float>] their stage-1 scores, finite
    # @param text_of [#call] returns the text of an entry of the head, by its id; an entry with an empty text, or nil,
    #   is in tier 1
    # @return [PartialOutcome] the list with its head reranked
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [RerankError] the model failed or was late, and `fail_open` is false
    def rerank(query, ids, scores, text_of)
      query = Base::Validation.text("query", query)
      ids, scores = check(ids, scores)
      callable = text_of.respond_to?(:call)
      raise Base::Validation.failure("text_of", text_of, "a callable from an id to a text") unless callable

      order = Base::Ordering.rank_indexes(ids, scores)
      head = Base::Slices.head(order, @top_k)
      return unchanged(ids, scores, order) if head.empty?
      return unchanged(ids, scores, order, "the query is empty") if query.empty?

      texts = texts(ids, head, text_of)
      return unchanged(ids, scores, order, "none of the first #{head.size} has a text") if texts.empty?

      model_scores, warning = @model.attempt(query, texts.values)
      if model_scores.nil?
        return PartialOutcome.new(entries: plain(ids, scores, order), status: "failed", warnings: [warning])
      end

      merged(ids, scores, order, head, texts.keys.zip(model_scores).to_h)
    end

    # Return the documents of a search result with their head reranked; the model receives the texts of RNK-2.
    #
    # @param query [String] as typed
    # @param result [AdapterKit::SearchResult] the documents
    # @param scores [Array<Float>] their stage-1 scores, in the order of `result.ids`
    # @return [PartialOutcome]
    # @raise [InvalidInputError] an argument is not acceptable
    # @raise [RerankError] the model failed or was late, and `fail_open` is false
    def rerank_result(query, result, scores)
      raise Base::Validation.failure("result", result, "a SearchResult") unless result.is_a?(AdapterKit::SearchResult)

      reader = Stores::Documents::StoredFields.new
      text_of = lambda do |identifier|
        tokens = Stores::Documents::StoredFields.model_tokens(identifier, result.fields_of(identifier), reader)
        Rerankers::Spacing.remove_redundant(tokens.join(" "))
      end
      outcome = rerank(query, result.ids, scores, text_of)
      PartialOutcome.new(entries: outcome.entries, status: outcome.status,
                         warnings: [*reader.warnings, *outcome.warnings])
    end

    private

    def check(ids, scores)
      names = Base::Validation.texts("ids", ids)
      raise Base::Validation.failure("scores", scores, "a list of finite numbers") unless scores.is_a?(::Array)
      if scores.size != names.size
        raise InvalidInputError, "scores must be as many as ids, #{names.size}, not #{scores.size}"
      end

      seen = {}
      names.each do |name|
        raise InvalidInputError, "ids must not repeat #{Base::Validation.describe(name)}" if seen[name]

        seen[name] = true
      end
      [names, scores.each_with_index.map { |score, index| Base::Validation.number("scores[#{index}]", score) }]
    end

    # Return the texts of the head by index, without missing ones.
    def texts(ids, head, text_of)
      head.each_with_object({}) do |index, texts|
        text = text_of.call(ids[index])
        next if text.nil?

        text = Base::Validation.text("the text of #{Base::Validation.describe(ids[index])}", text)
        texts[index] = text unless text.empty?
      end
    end

    def merged(ids, scores, order, head, model_scores)
      normalized = normalized(head, scores)
      entries = order.map do |index|
        next entry(ids[index], scores[index]) unless model_scores.key?(index)

        scored(ids[index], scores[index], model_scores[index], normalized[index])
      end
      keys = entries.to_h { |entry| [entry.id, [entry.tier, entry.score, entry.stage1_score, entry.id]] }
      entries = entries.sort { |left, right| Base::Ordering.compare_tiered(keys[left.id], keys[right.id]) }
      PartialOutcome.new(entries:, status: "applied")
    end

    # Return the head's stage-1 scores, min-max normalised over the whole head, if they are mixed in.
    def normalized(head, scores)
      return {} if @fusion == "replace"

      values = head.map { |place| scores[place] }
      unless (values.first - values.last).finite?
        raise InvalidInputError, "the spread of the scores is not finite: they cannot be normalised"
      end

      head.zip(Fusions::ScoreNormalizer.min_max(values)).to_h
    end

    def scored(identifier, stage1_score, model_score, normalized)
      if normalized.nil?
        return TieredEntry.new(id: identifier, tier: 0, score: model_score, stage1_score:, model_score:)
      end

      score = (@weight * model_score) + ((1.0 - @weight) * normalized)
      TieredEntry.new(id: identifier, tier: 0, score:, stage1_score:, model_score:, normalized_score: normalized)
    end

    def unchanged(ids, scores, order, reason = nil)
      warnings = reason ? ["ranked without the rerank model: #{reason}"] : []
      PartialOutcome.new(entries: plain(ids, scores, order), status: "skipped", warnings:)
    end

    def plain(ids, scores, order)
      order.map { |index| entry(ids[index], scores[index]) }
    end

    def entry(identifier, score)
      TieredEntry.new(id: identifier, tier: 1, score:, stage1_score: score)
    end
  end
end
