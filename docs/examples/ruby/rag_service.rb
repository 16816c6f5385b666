# frozen_string_literal: true

# Passages for a language model's prompt: a Rails action under puma, whose threads share one index.
#
# Start it with `PORT=8000 ruby rag_service.rb`, post a list of records to `/documents`, then ask
# `curl 'localhost:8000/passages?question=how+do+tables+reload&limit=3'`.
require "action_controller/railtie"
require "hybrid_search" # after Rails: lines go to Rails.logger, events to ActiveSupport::Notifications
require "rack/handler/puma"

# The application; in one of your own only the index, the routes and the controller are new.
class RagService < Rails::Application
  config.eager_load = false
  config.logger = Logger.new($stderr)
  config.secret_key_base = "only for this example"
  routes.append do
    post "/documents", to: "passages#create"
    get "/passages", to: "passages#index"
  end
end
RagService.initialize!

INDEX = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 256), max_results: 20)

ActiveSupport::Notifications.subscribe("search.hybrid_search") do |event|
  Rails.logger.info("search: #{event.payload[:total].to_i} found in #{event.duration.round(1)} ms")
end

# Takes documents, and gives passages.
class PassagesController < ActionController::API
  rescue_from(ArgumentError, JSON::ParserError) { |problem| answer(problem, :bad_request) }
  rescue_from(HybridSearch::Error) { |problem| answer(problem, :bad_gateway) }
  rescue_from(HybridSearch::InvalidInputError) { |problem| answer(problem, :bad_request) }

  # Store a JSON list of records.
  def create
    render json: { added: INDEX.add(JSON.parse(request.raw_post)) }, status: :created
  end

  # The best passages, as a text with numbers to cite, and where each is from.
  def index
    result = INDEX.search(params.fetch(:question, ""), limit: Integer(params.fetch(:limit, 3)))
    context = result.each.with_index(1).map { |hit, number| "[#{number}] #{hit.content}" }
    sources = result.map { |hit| { id: hit.id, document: hit.document_name } }
    render json: { context: context.join("\n\n"), sources:, total: result.total }
  end

  private

  def answer(problem, status)
    render json: { error: problem.message }, status:
  end
end

Rack::Handler::Puma.run(RagService, Host: "127.0.0.1", Port: ENV.fetch("PORT", 8000), Silent: true)
