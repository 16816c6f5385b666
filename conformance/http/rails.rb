# frozen_string_literal: true

# Mounts the service in a Rails application, as docs/http.md tells, and prints what it answers there.
require "action_controller/railtie"
require "rack/mock"
require "json"
require "hybrid_search"

INDEX = HybridSearch::Index.new(vector_similarity_weight: 0)
INDEX.add([{ id: "a/b", content: "Tables reload without a restart." }])

# The application; in one of your own only the mounting is new.
class Shop < Rails::Application
  config.eager_load = false
  config.hosts.clear
  config.logger = Logger.new(nil)
  config.secret_key_base = "only for this program"
  routes.append { mount HybridSearch::HttpService.new(INDEX, allow_anonymous_writes: true) => "/search" }
end
Shop.initialize!

REQUEST = Rack::MockRequest.new(Shop)
JSON_TYPE = { "CONTENT_TYPE" => "application/json" }.freeze
ANSWERS = [
  REQUEST.get("/search"),
  REQUEST.get("/search/"),
  REQUEST.get("/search/search_page.js"),
  REQUEST.get("/search/v1/health"),
  REQUEST.get("/search/v1/search?q=tables+reload&limit=1"),
  REQUEST.get("/search/v1/documents/a%2Fb"),
  REQUEST.post("/search/v1/search", input: '{"question": "reload"}', **JSON_TYPE),
  REQUEST.post("/search/v1/search", input: '{"limt": 1}', **JSON_TYPE),
  REQUEST.delete("/search/v1/documents/a%2Fb"),
  REQUEST.get("/search/v1/nothing")
].freeze
puts JSON.generate(ANSWERS.map { |answer| [answer.status, answer.body.dup.force_encoding("UTF-8")] })
