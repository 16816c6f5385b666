# frozen_string_literal: true

module HybridSearch
  module Stores
    module Contract
      # The documents and filters that the tests of every store use (DOC-5).
      module ContractData
        DOCUMENTS = [
          { "id" => "d1", "kb_id" => "k1", "content_ltks" => "solar panel power", "available_int" => 1,
            "q_2_vec" => [1.0, 0.0] },
          { "id" => "d2", "kb_id" => "k1", "content_ltks" => "wind power", "important_kwd" => ["wind"],
            "q_2_vec" => [0.0, 1.0] },
          { "id" => "d3", "kb_id" => "k2", "content_ltks" => "panel of solar experts", "available_int" => 0,
            "q_2_vec" => [0.6, 0.8] },
          { "id" => "d4", "kb_id" => "k2", "content_ltks" => "bread and water", "page_num_int" => 7 },
          { "id" => "d5", "kb_id" => "k3", "content_ltks" => "flour and water", "page_num_int" => 3 },
          { "id" => "d6", "kb_id" => "k3", "content_ltks" => "salt",
            "content_with_weight" => "Salt & more. Nothing else." }
        ].freeze
        ATTRIBUTES = [
          { "id" => "a1", "pagerank_fea" => 2.0,
            "metadata" => { "lang" => "zh", "year" => 2019, "tag" => %w[x y], "in" => { "row" => 7 } } },
          { "id" => "a2", "available_int" => 0, "metadata" => { "lang" => "en", "year" => 2024.0, "tag" => [] } },
          { "id" => "a3", "pagerank_fea" => 0.5,
            "metadata" => { "lang" => %w[en zh], "year" => "2021", "when" => "2024-05-01" } },
          { "id" => "a4", "tag_feas" => { "good" => 3, "v1.2" => 1 }, "page_num_int" => [1, 9] }
        ].freeze
        FILTERS = [
          [{ "metadata.lang" => "zh" }, %w[a1 a3]],
          [{ "metadata.tag" => %w[y z], "metadata.in.row" => 7 }, %w[a1]],
          [{ "metadata.in.row.more" => 7 }, []],
          [{ "tag_feas.v1.2" => { "gte" => 1 } }, %w[a4]],
          [{ "metadata.year" => { "gte" => 2019, "lt" => 2024 } }, %w[a1]],
          [{ "metadata.year" => { "gt" => 2019 } }, %w[a2]],
          [{ "metadata.year" => { "lte" => "2022" } }, %w[a3]],
          [{ "page_num_int" => { "gt" => 1, "lt" => 9 } }, []],
          [{ "metadata.year" => { "in" => [2019, 2024], "gt" => 2019 } }, %w[a2]],
          [{ "metadata.lang" => { "eq" => "en", "exists" => true } }, %w[a2 a3]],
          [{ "metadata.tag" => { "exists" => true } }, %w[a1]],
          [{ "metadata.tag" => { "exists" => false } }, %w[a2 a3 a4]],
          [{ "pagerank_fea" => { "lt" => 100 } }, %w[a1 a3]],
          [{ "not" => { "pagerank_fea" => { "lt" => 1 } } }, %w[a1 a2 a4]],
          [{ "any" => [{ "id" => "a4" }, { "available_int" => 0 }, { "metadata.lang" => "zh", "pagerank_fea" => 2 }] },
           %w[a1 a2 a4]],
          [{ "metadata.when" => { "starts_with" => "2024" } }, %w[a3]],
          [{ "metadata.lang" => { "contains" => "n" }, "metadata.year" => { "ends_with" => "21" } }, %w[a3]],
          [{ "metadata.year" => { "contains" => "2" } }, %w[a3]],
          [{ "metadata.lang" => { "starts_with" => "e", "ends_with" => "h" } }, []],
          [{ "any" => [] }, []],
          [{ "all" => [{ "metadata.lang" => "en" }, { "metadata.lang" => "zh" }] }, %w[a3]],
          [{ "id" => { "gte" => "a2", "lt" => "a4" }, "not" => { "must_not" => { "exists" => "metadata.when" } } },
           %w[a3]]
        ].freeze
        WRONG_FILTERS = [
          { "kb_id" => { "equals" => 1 } }, { "kb_id" => {} }, { "kb_id" => { "gt" => Float::NAN } },
          { "kb_id" => { "lt" => true } }, { "any" => { "kb_id" => "k1" } }, { "not" => nil },
          (1..16).reduce({}) { |nested, _| { "not" => nested } },
          { "any" => [{}] * 128 }
        ].freeze
      end
    end
  end
end
