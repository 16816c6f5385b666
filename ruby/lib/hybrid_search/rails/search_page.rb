# frozen_string_literal: true

require "rack"

module HybridSearch
  module Rails
    # The search page and the HTTP service of a model's index, as a read-only Rack application.
    #
    #   authenticate :user, ->(user) { user.admin? } do          # config/routes.rb, with Devise
    #     mount HybridSearch::Rails.search_page(Article) => "/search"
    #   end
    #   mount HybridSearch::Rails.search_page(Article) { |request| request.session[:admin] } => "/search"
    class SearchPage
      include Base::ShortInspect

      NOT_FOUND = [404, { "content-type" => "text/plain" }, ["Not Found"]].freeze
      private_constant :NOT_FOUND

      # @param model [Class] a model that declares `hybrid_search`
      # @param all_tenants [Boolean] whether visitors see the records of all tenants; must be true if the model declares
      #   a tenant
      # @param options [Hash] the options of {HttpService}
      # @yieldparam request [Rack::Request]
      # @yieldreturn [Boolean] whether the request is served; others get 404
      # @raise [InvalidInputError] the model declares a tenant
      def initialize(model, all_tenants: false, **options, &allowed)
        if model.hybrid_index.options.tenant && !all_tenants
          raise InvalidInputError, "the search page of #{model.name} shows the records of all tenants: " \
                                   "give all_tenants: true if visitors may see them"
        end

        @model = model.name
        @options = { read_only: true, **options }
        @allowed = allowed
      end

      # @param env [Hash{String=>Object}]
      # @return [Array(Integer, Hash{String=>String}, Array<String>)]
      def call(env)
        return NOT_FOUND.map(&:dup) unless @allowed.nil? || @allowed.call(::Rack::Request.new(env))

        Models.find(@model).hybrid_index.collection.use { |index| service(index).call(env) }
      end

      private

      # Return the service of the currently active index.
      def service(index)
        kept = @kept
        return kept.last if kept && kept.first.equal?(index)

        made = HttpService.new(index, **@options)
        @kept = [index, made].freeze
        made
      end
    end
  end
end
