# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # Every part of every score of a page, so that each similarity can be computed again (RET-5).
    module Explain
      FORMULAS = {
        "weighted" => "vtweight * vector_similarity + tkweight * term_similarity + rank_feature",
        "model" => "tkweight * term_similarity + vtweight * vector_similarity + rank_feature",
        "term" => "term_similarity + rank_feature",
        "store" => "the store's own score"
      }.freeze

      module_function

      # How the page came about: what was asked, which formula made the similarities, and their parts.
      #
      # The blocks of full pages may have been scored by different formulas, so there each chunk tells its own.
      #
      # @return [Hash{String=>Object}]
      def explanation(request, recalled, entries, window)
        explained = asked(request, recalled).merge(
          "window" => window.size,
          "chunks" => entries.shown.map { |entry| parts(entry) }
        )
        if request.full_pages
          entries.shown.zip(explained["chunks"]) { |entry, parts| parts["formula"] = formula(entry.block) }
        else
          explained["formula"] = formula(entries.ranked.blocks.first)
        end
        explained
      end

      # How the ranking of a walk came about: what was asked, and which formula made the similarities.
      #
      # @return [Hash{String=>Object}]
      def query_explanation(request, block)
        asked(request, block.recalled).merge("formula" => formula(block))
      end

      # @return [Hash{String=>Hash}] the place and the score that recall gave each candidate, by id; its other scores
      #   are in the result itself
      def recall_parts(block)
        scores = block.recalled.result.scores
        block.outcome.ids.each.with_index(block.first + 1).to_h do |id, rank|
          [id, { "chunk_id" => id, "recall_score" => scores[id], "recall_rank" => rank }]
        end
      end

      def asked(request, recalled)
        {
          "query_text" => recalled.query && AdapterKit::Render.lucene(recalled.query),
          "keywords" => recalled.result.keywords.dup,
          "min_match" => recalled.min_match,
          "similarity" => recalled.similarity,
          "listed" => recalled.listed,
          "tkweight" => request.tkweight,
          "vtweight" => request.vtweight
        }
      end
      private_class_method :asked

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
          "similarity" => outcome.similarity[index]
        }
      end
      private_class_method :parts
    end
  end
end
