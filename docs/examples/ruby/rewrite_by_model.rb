# frozen_string_literal: true

# A language model rewrites questions: any service with the API of OpenAI's chat completions (CHAT_URL, CHAT_MODEL).

require "hybrid_search"
require "json"
require "net/http"

PROMPT = <<~TEXT.chomp
  Rewrite the question of a user for a search in English documents. Answer with a JSON object:
  "question": the question in English, without what the filters state;
  "filters": an object of the fields that the question limits, or null. Fields: metadata.year (an integer).
TEXT
ADDRESS = URI("#{ENV.fetch("CHAT_URL", "https://api.openai.com/v1")}/chat/completions")

# The question and the filters that the model makes of a question.
rewrite = lambda do |question|
  messages = [{ role: "system", content: PROMPT }, { role: "user", content: question }]
  body = {
    model: ENV.fetch("CHAT_MODEL", "gpt-4o-mini"),
    messages:,
    temperature: 0,
    response_format: { type: "json_object" }
  }
  headers = { "Content-Type" => "application/json", "Authorization" => "Bearer #{ENV.fetch("CHAT_KEY", "")}" }
  limits = { use_ssl: ADDRESS.scheme == "https", open_timeout: 5, read_timeout: 5 }
  response = Net::HTTP.start(ADDRESS.host, ADDRESS.port, **limits) do |http|
    http.post(ADDRESS.request_uri, JSON.generate(body), headers)
  end
  response.value # raises unless the status is 2xx
  JSON.parse(JSON.parse(response.body).dig("choices", 0, "message", "content"))
end

index = HybridSearch::Index.new(rewrite:)
index.add(
  [
    { id: "a", content: "The warranty period is two years.", metadata: { year: 2023 } },
    { id: "b", content: "The warranty period is three years.", metadata: { year: 2024 } },
    { id: "c", content: "Returns are free of charge.", metadata: { year: 2024 } }
  ]
)
["2024年的保修期多长？", "warranty"].each do |question|
  page = index.search(question, explain: true)
  puts "#{question} [#{page.map { |hit| "'#{hit.id}'" }.join(", ")}]"
  puts "  searched: #{page.explain.dig("rewritten", "question") || question}"
  page.warnings.each { |warning| puts "  warning: #{warning.split(": ").first}" }
end
