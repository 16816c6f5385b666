# frozen_string_literal: true

# A rerank model of your own: any object with `similarity(query, texts)`, or a callable; and what a failure does.

require "hybrid_search"

# The share of a question's letters that a text has; put your model here.
class SharedLetters
  # One finite number for each text, in their order.
  def similarity(query, texts)
    wanted = query.chars.uniq
    texts.map { |text| (wanted & text.chars).size.fdiv(wanted.size) }
  end
end

# Fails, as services do.
broken = ->(_query, texts) { raise "no answer about #{texts.size} texts" }

index = HybridSearch::Index.new
records = [
  { id: "a", content: "assignment in a condition, 条件中的赋值" },
  { id: "b", content: "assignment operator in a sub-expression, 子表达式中的赋值运算符" },
  { id: "c", content: "one statement per line, 每行一条语句" }
]
index.add(records)
question = "assignment operator 赋值运算符"
{ "no model" => nil, "a model" => SharedLetters.new, "a broken model" => broken }.each do |name, model|
  result = index.search(question, rerank_model: model)
  puts name
  result.each { |hit| puts "  #{hit.id} #{hit.score}" }
  result.warnings.each { |warning| puts "  warning: #{warning}" }
end
