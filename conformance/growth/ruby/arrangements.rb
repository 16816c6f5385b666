# frozen_string_literal: true

# Searches in many documents whose options work on a whole ranking; the twin of `conformance/growth/arrangements.py`.
module Growth
  # Code points of each document.
  PIECE = 16

  # Options that work on a whole ranking.
  ARRANGEMENTS = {
    "collapse" => { collapse: "doc_id" },
    "collapse_by_text" => { collapse: "metadata.text" },
    "diversity" => { diversity: 0.3 },
    "fold_duplicates" => { fold_duplicates: 0.5 },
    "parents" => { parents: "max" },
    "context" => { context: 2 },
    "features" => { profile: "ragflow", rank_feature: { a: 2, pagerank_fea: 1 }, rank_feature_recall: true }
  }.freeze

  # Search in the pieces of a text, each of which is a document.
  ARRANGEMENTS.each do |name, options|
    OPERATIONS[name] = lambda do |text|
      index = Index.new(embedding: HashingEmbedder.new(dimension: 16))
      pieces = text.scan(/.{1,#{PIECE}}/mo)
      index.add(
        pieces.each_with_index.map do |piece, place|
          { "id" => format("%06d", place), "doc_id" => (place % 7).to_s, "parent" => format("%06d", place / 8 * 8),
            "content" => piece, "metadata" => { "text" => piece }, "tags" => { "a" => place % 5 },
            "positions" => [[place]] }
        end
      )
      -> { index.search(text[0, QUESTION], candidates: pieces.size, min_score: -1e9, **options) }
    end
  end

  OPERATIONS.freeze
end
