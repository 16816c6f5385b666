# frozen_string_literal: true

# A store in a file, or in a collection of a database, asked by lines: one JSON list of a method and its argument is
# answered by one line, as `stored_json` writes both. `page` is asked of an index on the store: the ids of the page, and
# its cursor.

require_relative "../implementations/ruby/internals"

kit = HybridSearch::AdapterKit
embedding = HybridSearch::HashingEmbedder.new(dimension: 8)
place, collection = ARGV
store = if collection
          HybridSearch::PostgresDocStore.new(place, collection:, migrate: false)
        else
          HybridSearch::SqliteDocStore.new(place, synchronous: "normal")
        end

indexes = Hash.new do |made, cached|
  ranking_cache = cached ? HybridSearch::RankingCache.new : nil
  made[cached] = HybridSearch::Index.new(store:, embedding:, ranking_cache:, min_score: 0.0)
end

$stdin.each_line do |line|
  method, argument = HybridSearch::Stores::Documents::StoredJson.read(line.force_encoding(Encoding::UTF_8))
  answer =
    case method
    when "text"
      fields = [["content_ltks", 1.0], ["important_kwd", 2.5]]
      store.rank([kit::MatchTextExpr.new(fields:, tree: kit::Tree::Phrase.new(argument["words"], slop: 1), topn: 100)],
                 argument["filters"])
    when "dense"
      expr = kit::MatchDenseExpr.new(field: "q_2_vec", vector: argument["vector"], topn: 100)
      store.rank([expr], argument["filters"])
    when "stats" then store.stats
    when "page"
      page = indexes[argument["cached"]].search(argument["question"], **argument["options"].transform_keys(&:to_sym))
      [page.map(&:id), page.next_cursor]
    else store.public_send(method, argument)
    end
  $stdout.puts HybridSearch::Stores::Documents::StoredJson.write(answer)
  $stdout.flush
end
store.close
