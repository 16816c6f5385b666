# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The tests of a store's counts and of the models of its vectors (DOC-5, DOC-6, DOC-7).
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
          "vectors" => {
            "q_2_vec" => { "dimension" => 2, "count" => 3, "missing" => 2, "model" => nil, "origin" => nil }
          },
          "without_vectors" => 2
        }.freeze
        STATS_PARTS = [*STATS.keys, "documents", "generation", "memory"].freeze
        private_constant :STATS, :STATS_PARTS

        # The reported parts are right; a part that is nil is not tested.
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

        # A new store reports no content.
        def test_stats_of_a_new_store
          told = make_store.stats
          { "documents" => 0, "tokens" => 0, "fields" => {}, "vectors" => {} }.each do |part, expected|
            same(part, told[part], expected) unless told[part].nil?
          end
        end

        # A model's name stays while there are vectors, and another name is refused; a store may store no names.
        def test_the_models_of_vectors_are_kept
          store = filled
          store.keep_vector_model("q_2_vec", "small")
          return if store.vector_fields.nil?

          models_stay(store)
          models_change_without_vectors(store)
        end

        private

        def models_stay(store)
          before = store.generation
          store.keep_vector_model("q_2_vec", "small")
          store.keep_vector_model("q_2_vec", nil, "records")
          store.keep_vector_model("q_3_vec", "other")
          known = { **STATS["vectors"]["q_2_vec"], "missing" => 3, "model" => "small", "origin" => "both" }
          told = { "q_2_vec" => known, "q_3_vec" => unused("other", 6) }
          same("vectors known", store.vector_fields, told)
          same("generation", store.generation, before)
          same("vectors in stats", store.stats["vectors"], told)
          [%w[q_2_vec large], ["q_2_vec", ""], %w[kb_id small], ["q_2_vec", 1], %w[q_2_vec small both]].each do |given|
            refused(InvalidInputError) { store.keep_vector_model(*given) }
          end
        end

        def models_change_without_vectors(store)
          store.keep_vector_model("q_3_vec", "large")
          store.delete(%w[d1 d2 d3])
          store.keep_vector_model("q_2_vec", "large", "records")
          told = { "q_2_vec" => unused("large", 3, origin: "records", dimension: 2), "q_3_vec" => unused("large", 3) }
          same("vectors known later", store.vector_fields, told)
        end

        # Return the facts about a field without vectors.
        def unused(model, missing, origin: "index", dimension: 3)
          { "dimension" => dimension, "count" => 0, "missing" => missing, "model" => model, "origin" => origin }
        end
      end
    end
  end
end
