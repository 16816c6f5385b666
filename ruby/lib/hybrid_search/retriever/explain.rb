# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Explains every part of every score of a page, so that each similarity can be computed again (RET-5).
    module Explain
      FORMULAS = {
        "weighted" => "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
        "model" => "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
        "term" => "term_similarity + rank_feature",
        "store" => "the store's own score",
        "fused" => "the score of the fusion",
        "auto" => "(text.weight * text.share + dense.weight * dense.share) / highest",
        "min_max" => "text.weight * text.share + dense.weight * dense.share"
      }.freeze
      LEGS = %i[text dense].freeze
      UNITS = { "auto" => "mean", "min_max" => "spread" }.freeze

      module_function

      # Return the explanation of a page: the request, the formula of the similarities, and their parts.
      #
      # The blocks of full pages may have been scored by different formulas, so there each chunk has its own.
      #
      # @return [Hash{String=>Object}]
      def explanation(request, recalled, entries, window)
        explained = asked(request, recalled).merge(
          "window" => window.size,
          "chunks" => entries.shown.map { |entry| parts(entry) }
        )
        first = entries.ranked.blocks.first
        explained.update(of_legs(first))
        if request.full_pages
          entries.shown.zip(explained["chunks"]) { |entry, parts| parts["formula"] = formula(entry.block) }
        else
          explained["formula"] = formula(first)
        end
        explained
      end

      # Return the explanation of a search's ranking: the request and the formula of the similarities.
      #
      # @return [Hash{String=>Object}]
      def query_explanation(request, block)
        asked(request, block.recalled).merge(of_legs(block), "formula" => formula(block))
      end

      # @return [Hash{String=>Hash}] the rank and the score in recall of each candidate, by id; its other scores are in
      #   the result itself
      def recall_parts(block)
        scores = block.recalled.result.scores
        block.outcome.ids.each.with_index(block.first + 1).to_h do |id, rank|
          [id, { "id" => id, "recall_score" => scores[id], "recall_rank" => rank, **feature_part(block, id),
                 **leg_parts(block, id) }]
        end
      end

      def asked(request, recalled)
        {
          "query_text" => query_text(recalled),
          "keywords" => recalled.result.keywords.dup,
          "min_match" => recalled.min_match,
          "similarity" => recalled.similarity,
          "listed" => recalled.listed,
          "tkweight" => request.tkweight,
          "vtweight" => request.vtweight
        }
      end
      private_class_method :asked

      def query_text(recalled)
        query = recalled.query
        case query
        when nil then nil
        when ::Array then query.join(" ")
        else AdapterKit::Render.lucene(query)
        end
      end
      private_class_method :query_text

      # Return the parameters of both legs' shares, if the fusion provides them (FUS-3, FUS-4).
      def of_legs(block)
        fused = block.recalled.result.fused
        return {} unless fused

        legs = LEGS.to_h do |name|
          leg = fused.public_send(name)
          parts = { "weight" => leg.weight, "floor" => leg.floor, UNITS.fetch(fused.method) => leg.unit }
          [name.to_s, { **parts, "first_share" => leg.first_share }]
        end
        { "legs" => { **legs, "highest" => fused.highest } }
      end
      private_class_method :of_legs

      # Return score, excess and share of a candidate in both legs; nil outside the first hundred of a leg.
      def leg_parts(block, id)
        fused = block.recalled.result.fused
        return {} unless fused

        { "legs" => LEGS.to_h { |name| [name.to_s, leg_part(fused.public_send(name), id)] } }
      end
      private_class_method :leg_parts

      def leg_part(leg, id)
        share = leg.shares[id]
        return nil unless share

        score = leg.scores.fetch(id)
        { "score" => score, "excess" => score - leg.floor, "share" => share }
      end
      private_class_method :leg_part

      # Return the model's score of a candidate of the head, which replaces the formula (RET-10).
      def model_part(outcome, id)
        outcome.model_scores.key?(id) ? { "model_score" => outcome.model_scores.fetch(id) } : {}
      end
      private_class_method :model_part

      # Return what page rank and tags added to the score of a candidate in the text leg, if they count (RNK-10).
      def feature_part(block, id)
        features = block.recalled.result.features
        features.empty? ? {} : { "recall_feature" => features.fetch(id, 0.0) }
      end
      private_class_method :feature_part

      def formula(block)
        FORMULAS.fetch(block.outcome.formula)
      end
      private_class_method :formula

      def parts(entry)
        outcome = entry.block.outcome
        index = entry.index
        id = outcome.ids[index]
        {
          "chunk_id" => id,
          "recall_score" => entry.block.recalled.result.scores[id],
          "recall_rank" => entry.block.first + index + 1,
          "term_similarity" => outcome.term_similarity[index],
          "vector_similarity" => outcome.vector_similarity[index],
          "rank_feature" => outcome.rank_feature[index],
          "similarity" => outcome.similarity[index],
          **feature_part(entry.block, id),
          **leg_parts(entry.block, id),
          **model_part(outcome, id)
        }
      end
      private_class_method :parts
    end
  end
end
