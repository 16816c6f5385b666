# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the first documents of a text leg (FUS-5), fast: later ones are counted, but never ranked.
    module FastLegHead
      DEPTH = Fusions::FusedLegs::DEPTH
      private_constant :DEPTH

      module_function

      # Return the head of a leg. The block is that of {.of}.
      #
      # @param leg [Bm25fLeg] the leg
      # @param slot_of [#call] returns the slot of a document, or nil
      # @return [Stores::Snapshot::LegHead]
      def of_leg(leg, slot_of, &ranked)
        slots, sums, doubt = leg.limit > DEPTH ? leg.near : nil
        return of(*leg.best, leg.limit, slot_of, &ranked) if slots.nil? || slots.size <= DEPTH

        ahead = first_near(leg, slots, sums, doubt, &ranked)
        known = ahead.to_h
        last, other = sums.max(leg.limit + 1).drop(leg.limit - 1)
        Stores::Snapshot::LegHead.new(ahead, [slots.size, leg.limit].min) do |identifiers|
          behind = behind_near(identifiers.reject { |one| known.key?(one) }, leg, slot_of)
          behind.reject! { |_, score| score < last * (1.0 - doubt) } if other
          # Whether a document with nearly the last score is in the leg depends on the exact scores of all others.
          if other && behind.any? { |_, score| score <= other * (1.0 + doubt) }
            next Stores::Snapshot::LegHead.of(ranked.call(*leg.best, leg.limit)).scores(identifiers)
          end

          identifiers.to_h { |one| [one, known[one] || behind[one]] }.compact
        end
      end

      # Return the head of a leg. The block returns the ranking of slots and scores, up to a number of documents.
      #
      # @param slots [Array<Integer>] the slots of documents, among them the best `limit` with all ties of the last, in
      #   no order
      # @param scores [Array<Float>] their scores
      # @param limit [Integer] the maximum number of documents of the leg
      # @param slot_of [#call] returns the slot of a document, or nil
      # @return [Stores::Snapshot::LegHead] the head of a leg
      def of(slots, scores, limit, slot_of, &ranked)
        return Stores::Snapshot::LegHead.of(ranked.call(slots, scores, limit)) if slots.size <= DEPTH || limit <= DEPTH

        ahead = first(slots, scores, &ranked)
        known = ahead.to_h
        Stores::Snapshot::LegHead.new(ahead, [slots.size, limit].min) do |identifiers|
          behind = behind(identifiers.reject { |one| known.key?(one) }, slots, scores, slot_of)
          # Of the documents tied at the last score, only the first by id are in the leg.
          if slots.size > limit && !behind.empty? && behind.value?(scores.min)
            next Stores::Snapshot::LegHead.of(ranked.call(slots, scores, limit)).scores(identifiers)
          end

          identifiers.to_h { |one| [one, known[one] || behind[one]] }.compact
        end
      end

      # Return the ranking of the first documents, of which numbers near their scores are known.
      def first_near(leg, slots, sums, doubt)
        least = sums.max(DEPTH)[-1] * (1.0 - doubt) / (1.0 + doubt)
        found = sums.each_index.select { |place| sums[place] >= least }.map { |place| slots[place] }
        yield found, found.map { |slot| leg.score_at(slot) }, DEPTH
      end

      def behind_near(identifiers, leg, slot_of)
        identifiers.each_with_object({}) do |identifier, found|
          slot = slot_of.call(identifier)
          score = slot ? leg.score_at(slot) : 0.0
          found[identifier] = score if score.positive?
        end
      end

      def first(slots, scores)
        least = scores.max(DEPTH)[-1]
        places = scores.each_index.select { |place| scores[place] >= least }
        yield places.map { |place| slots[place] }, places.map { |place| scores[place] }, DEPTH
      end

      def behind(identifiers, slots, scores, slot_of)
        identifiers.each_with_object({}) do |identifier, found|
          slot = slot_of.call(identifier)
          place = slot && slots.index(slot)
          found[identifier] = scores[place] if place
        end
      end
      private_class_method :first_near, :behind_near, :first, :behind
    end
  end
end
