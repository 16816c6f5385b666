# frozen_string_literal: true

module HybridSearch
  module Storing
    # What every document store promises of what it tells of itself (DOC-5, DOC-6, DOC-7).
    class StatsContract < ContractBase
      STATS = {
        "tokens" => 16,
        "fields" => {
          "available_int" => { "documents" => 2, "tokens" => nil },
          "content_ltks" => { "documents" => 5, "tokens" => 15 },
          "id" => { "documents" => 5, "tokens" => nil },
          "important_kwd" => { "documents" => 1, "tokens" => 1 },
          "kb_id" => { "documents" => 5, "tokens" => nil },
          "page_num_int" => { "documents" => 2, "tokens" => nil }
        },
        "vectors" => { "q_2_vec" => { "dimension" => 2, "count" => 3, "model" => nil } }
      }.freeze
      STATS_PARTS = [*STATS.keys, "documents", "generation", "memory"].freeze
      private_constant :STATS, :STATS_PARTS

      # What is told is right; parts that are nil are not told.
      def test_stats_tell_of_the_content
        store = filled
        store.delete(["d6"])
        told = store.stats
        same("parts", told.keys.sort, STATS_PARTS.sort)
        same("documents", told["documents"], DOCUMENTS.size - 1)
        same("generation", told["generation"], store.generation)
        STATS.each { |part, expected| same(part, told[part], expected) unless told[part].nil? }
        wrong = (told["memory"] || {}).reject { |_, bytes| bytes.is_a?(::Integer) && !bytes.negative? }
        same("memory that is no number of bytes", wrong, {})
      end

      # Nothing is in it.
      def test_stats_of_a_new_store
        told = make_store.stats
        { "documents" => 0, "tokens" => 0, "fields" => {}, "vectors" => {} }.each do |part, expected|
          same(part, told[part], expected) unless told[part].nil?
        end
      end

      # A name stays while there are vectors, and is refused for another; a store that keeps none says so.
      def test_the_models_of_vectors_are_kept
        store = filled
        same("models", store.vector_models, {})
        store.keep_vector_model("q_2_vec", "small")
        if store.method(:vector_models).owner == DocStoreAdapter
          same("models, where none are kept", store.vector_models, {})
        else
          models_stay(store)
          models_change_without_vectors(store)
        end
      end

      private

      def models_stay(store)
        before = store.generation
        store.keep_vector_model("q_2_vec", "small")
        store.keep_vector_model("q_3_vec", "other")
        same("models kept", store.vector_models, { "q_2_vec" => "small", "q_3_vec" => "other" })
        same("generation", store.generation, before)
        vectors = store.stats["vectors"]
        same("vectors", vectors["q_2_vec"], { "dimension" => 2, "count" => 3, "model" => "small" }) if vectors
        [%w[q_2_vec large], ["q_2_vec", ""], %w[kb_id small], ["q_2_vec", 1]].each do |field, model|
          refused(InvalidInputError) { store.keep_vector_model(field, model) }
        end
      end

      def models_change_without_vectors(store)
        store.keep_vector_model("q_3_vec", "large")
        store.delete(%w[d1 d2 d3])
        store.keep_vector_model("q_2_vec", "large")
        same("models changed", store.vector_models, { "q_2_vec" => "large", "q_3_vec" => "large" })
      end
    end
  end
end
