# frozen_string_literal: true

# A store in a file, or in a collection of a database, asked by lines: one JSON list of a method and its argument is
# answered by one line, as `stored_json` writes both.

require_relative "../implementations/ruby/internals"

kit = HybridSearch::AdapterKit
place, collection = ARGV
store = if collection
          HybridSearch::PostgresDocStore.new(place, collection:, migrate: false)
        else
          HybridSearch::SqliteDocStore.new(place, synchronous: "normal")
        end

$stdin.each_line do |line|
  method, argument = HybridSearch::Storing::StoredJson.read(line.force_encoding(Encoding::UTF_8))
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
    else store.public_send(method, argument)
    end
  $stdout.puts HybridSearch::Storing::StoredJson.write(answer)
  $stdout.flush
end
store.close
