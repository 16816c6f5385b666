# frozen_string_literal: true

module HybridSearch
  # Fuses any number of ranked lists of (id, score), each in the order its maker gave (FUS-2, FUS-3, FUS-4, FUS-5).
  #
  # Results are in ORD-1 order. A document missing from a list adds nothing for it. An id twice in one list, a score
  # that is not finite, going in or coming out, is an {InvalidInputError}.
  module Fusion
    # A param of a method: the option of a retrieval that gives it, its default, and what checks it, which takes the
    # argument's name, for the message, and the value, and gives what counts.
    Param = Struct.new(:option, :default, :check)
    # A method: what fuses ranked lists with its params, and these by name.
    Method = Struct.new(:fuse, :params)
    private_constant :Param, :Method

    LEG_WEIGHTS = ->(name, value) { Fusions::Weights.parse(value, 2, name) && value }
    private_constant :LEG_WEIGHTS

    # All that is known of each method (FUS-1); a new one is a row here and a function below.
    #
    # @api private
    METHODS = {
      "weighted_sum" => Method.new(
        ->(lists, params, normalizer) { [weighted_sum(lists, params["weights"], normalizer:), nil] },
        { "weights" => Param.new("weights", "0.05,0.95", LEG_WEIGHTS).freeze }.freeze
      ).freeze,
      "rrf" => Method.new(
        ->(lists, params, _normalizer) { [rrf(lists, k: params["k"]), nil] },
        { "k" => Param.new("rrf_k", 60, ->(name, value) { Base::Validation.number(name, value, 0) }).freeze }.freeze
      ).freeze,
      "auto" => Method.new(->(lists, _params, _normalizer) { of_legs("auto", lists) }, {}.freeze).freeze,
      "min_max" => Method.new(->(lists, _params, _normalizer) { of_legs("min_max", lists) }, {}.freeze).freeze
    }.freeze

    # The methods that compare the first hundred of a text leg and a dense leg by their scores.
    #
    # @api private
    LEG_METHODS = {
      "auto" => ->(text, dense) { Fusions::FusedLegs.auto(text, dense) },
      "min_max" => ->(text, dense) { Fusions::FusedLegs.min_max(text, dense) }
    }.freeze

    module_function

    # 0.0, then += weight · normalised score, lists in the order given.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param weights [String, Array<Float>] one per list, as {Fusions::Weights.parse} takes them
    # @param normalizer [String, Array<String>] "none", "max", "min_max", "z_score", "sigmoid" or "rank"; or a list of
    #   them, one per ranking
    # @return [Array<Array(String, Float)>]
    def weighted_sum(rankings, weights, normalizer: "min_max", **unknown)
      Base::Validation.known("option", unknown.keys, %w[normalizer])
      lists = checked(rankings)
      factors = Fusions::Weights.parse(weights, lists.size)
      normalizers = checked_normalizers(normalizer, lists.size)
      fused = {}
      lists.each_with_index do |ranking, index|
        factor = factors[index]
        normalized = Fusions::ScoreNormalizer.normalize(ranking.map { |_, score| score }, normalizers[index])
        ranking.each_with_index do |(identifier, _), place|
          score = normalized[place]
          unless score.finite?
            raise InvalidInputError, "rankings[#{index}]: the score of #{Base::Validation.describe(identifier)} " \
                                     "is not finite under #{normalizers[index]}"
          end
          fused[identifier] = fused.fetch(identifier, 0.0) + (factor * score)
        end
      end
      ranked(fused)
    end

    # Reciprocal rank fusion: the sum of 1 / (k + rank), rank being the place from 1.
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the lists
    # @param k [Integer, Float] at least 0
    # @return [Array<Array(String, Float)>]
    def rrf(rankings, k: 60, **unknown)
      Base::Validation.known("option", unknown.keys, %w[k])
      lists = checked(rankings)
      constant = Base::Validation.number("k", k, 0)
      fused = {}
      lists.each do |ranking|
        ranking.each_with_index do |(identifier, _), index|
          fused[identifier] = fused.fetch(identifier, 0.0) + (1.0 / (constant + (index + 1)))
        end
      end
      ranked(fused)
    end

    # A text leg and a dense leg by how far the scores of their first hundred stand out (FUS-3).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the two, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def auto(rankings)
      of_legs("auto", rankings)[0]
    end

    # A text leg and a dense leg by the scores of their first hundred, from 0 to 1 each, half and half (FUS-4).
    #
    # @param rankings [Array<Array<Array(String, Float)>>] the two, in this order; either may be empty
    # @return [Array<Array(String, Float)>]
    def min_max(rankings)
      of_legs("min_max", rankings)[0]
    end

    # What a fusion expression asks for, at most its topn documents; a method by ranks needs no normalizer.
    #
    # @param expression [FusionExpr]
    # @return [Array<Array(String, Float)>]
    def fuse(expression, rankings, normalizer: "min_max", **unknown)
      Base::Validation.known("option", unknown.keys, %w[normalizer])
      Base::ObjectChecks.having("expression", expression, %w[method params topn], "a FusionExpr")
      fuse_legs(expression, rankings, normalizer:)[0]
    end

    # What {fuse} gives, and of a method that compares the first hundred of both legs what each of them adds.
    #
    # @api private
    # @return [Array(Array<Array(String, Float)>, Fusions::FusedLegs)]
    def fuse_legs(expression, rankings, normalizer: "min_max")
      fused, legs = METHODS.fetch(expression.method).fuse.call(rankings, expression.params, normalizer)
      [Base::Slices.head(fused, expression.topn), legs]
    end

    def of_legs(method, rankings)
      lists = checked(rankings)
      unless lists.size == 2
        raise InvalidInputError, "#{method} fuses a text leg and a dense leg, not #{lists.size} rankings"
      end

      of_ranked_legs(method, *lists.map { |list| Base::Ordering.rank(list) })
    end
    private_class_method :of_legs

    # What {fuse_legs} returns for one of {LEG_METHODS}; the legs are sound and in the order of ORD-1.
    #
    # @api private
    # @return [Array(Array<Array(String, Float)>, Fusions::FusedLegs)]
    def fuse_ranked_legs(expression, text, dense)
      fused, legs = of_ranked_legs(expression.method, text, dense)
      [Base::Slices.head(fused, expression.topn), legs]
    end

    def of_ranked_legs(method, text, dense)
      legs = LEG_METHODS.fetch(method).call(text, dense)
      ahead = ranked(legs.scores)
      behind = Base::Ordering.rank(Fusions::FusedLegs.behind(text, dense).to_a)
      # What is behind has a negative score.
      [ahead.empty? || ahead[-1][1] >= 0.0 ? ahead + behind : ranked((ahead + behind).to_h), legs]
    end
    private_class_method :of_ranked_legs

    def ranked(fused)
      fused.each do |identifier, score|
        next if score.finite?

        raise InvalidInputError, "the fused score of #{Base::Validation.describe(identifier)} is not finite"
      end
      Base::Ordering.rank(fused.to_a)
    end
    private_class_method :ranked

    def checked(rankings)
      raise Base::Validation.failure("rankings", rankings, "a list of ranked lists") unless rankings.is_a?(::Array)

      rankings.each_with_index.map { |ranking, index| checked_list("rankings[#{index}]", ranking) }
    end
    private_class_method :checked

    def checked_list(name, ranking)
      raise Base::Validation.failure(name, ranking, "a list of (id, score)") unless ranking.is_a?(::Array)
      return ranking if sound?(ranking)

      seen = {}
      entries = ranking.each_with_index.map { |entry, index| checked_entry(name, index, entry) }
      entries.each do |identifier, _|
        if seen.key?(identifier)
          raise InvalidInputError, "#{name} holds the id #{Base::Validation.describe(identifier)} twice"
        end

        seen[identifier] = true
      end
    end
    private_class_method :checked_list

    # Whether all entries are in order, as in nearly all lists. The slow way finds what is wrong.
    def sound?(ranking)
      seen = {}
      ranking.each do |entry|
        return false unless entry.is_a?(::Array) && entry.size == 2 && sound_entry?(*entry)

        seen[entry[0]] = true
      end
      seen.size == ranking.size
    end
    private_class_method :sound?

    def sound_entry?(identifier, score)
      case identifier
      when ::String
        # rubocop:disable Style/CaseEquality -- a BasicObject has no `is_a?`
        ::Float === score && score.finite? && identifier.encoding == ::Encoding::UTF_8 && identifier.valid_encoding?
        # rubocop:enable Style/CaseEquality
      else false
      end
    end
    private_class_method :sound_entry?

    def checked_entry(name, index, entry)
      unless entry.is_a?(::Array) && entry.size == 2
        raise Base::Validation.failure("#{name}[#{index}]", entry, "an id and a score")
      end

      identifier, score = entry
      score = Base::Validation.number("#{name}[#{index}][1]", score) unless score.is_a?(::Float) && score.finite?
      [Base::Validation.text("#{name}[#{index}][0]", identifier), score]
    end
    private_class_method :checked_entry

    def checked_normalizers(normalizer, count)
      unless normalizer.is_a?(::Array)
        return Array.new(count,
                         Base::Validation.choice("normalizer", normalizer, Fusions::ScoreNormalizer::NORMALIZERS))
      end

      if normalizer.size != count
        raise Base::Validation.failure("normalizer", normalizer, "one normalizer, or #{count} of them")
      end

      normalizer.each_with_index.map do |item, index|
        Base::Validation.choice("normalizer[#{index}]", item, Fusions::ScoreNormalizer::NORMALIZERS)
      end
    end
    private_class_method :checked_normalizers
  end
end
