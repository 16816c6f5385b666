# frozen_string_literal: true

# Chinese, English and identifiers: tokens, keywords with their parts, and what a question becomes.

require "hybrid_search"

question = "MisraC++ 2008 Rule 6-2-1 这个规则 怎么修改"

tokenizer = HybridSearch::Tokenizer.new
puts "tokens: #{tokenizer.tokenize(question).join(" ")}"
puts "fine: #{tokenizer.fine_grained("混合检索系统").join(" ")}"

keywords = HybridSearch::KeywordExtractor.new.extract(question)
puts "words: #{keywords.words.join(" ")}"
puts "parts: #{keywords.parts.join(" ")}"

extractor = HybridSearch::KeywordExtractor.new(stop_words: ["规则"])
extractor.add_word("怎么修改")
puts "own words: #{extractor.extract(question).words.join(" ")}"

expression, words = HybridSearch::QueryBuilder.new.build_text_query("赋值运算符 rule 6-2-1")
puts "query: #{expression.extra_options["original_query"]} | #{words.join(" ")}"

index = HybridSearch::Index.new # no embedding: the text decides alone
records = [
  # Tokens of the content are "6", "2" and "1"; a keyword stays whole.
  { id: "6-2-1", keywords: ["6-2-1"], content: "Rule 6-2-1 不应在子表达式中使用赋值运算符" },
  { id: "6-2-11", keywords: ["6-2-11"], content: "Rule 6-2-11 每行只写一条语句, one statement per line" },
  { id: "0-1-9", keywords: ["0-1-9"], content: "Rule 0-1-9: there shall be no dead code, 不得有死代码" }
]
index.add(records)
[question, "dead code", "死代码", "每行一条语句"].each do |asked|
  hit = index.search(asked).first
  puts "#{asked} -> #{hit.id} #{hit.score}"
end
