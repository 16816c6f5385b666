# frozen_string_literal: true

module HybridSearch
  module Rails
    # Searches the index for a model, once, when a part of the result is first needed.
    module Found
      module_function

      # @param index [ModelIndex]
      # @param relation [ActiveRecord::Relation]
      # @param request [ModelSearch]
      # @param like [ActiveRecord::Base, nil] the record whose similar records are searched
      # @return [FoundOnPage, FoundInWalk, FoundNothing]
      def of(index, relation, request, like)
        tenant = Tenant.of_search(index, request.options[:tenant], relation)
        narrowing = Narrowing.new(relation, index.names)
        return FoundNothing.new(request) if narrowing.none? || (request.blank? && like.nil?)

        filters = [*narrowing.filters, *(tenant && [{ "kb_id" => tenant }]), *others(like)]
        options = request.search_options(filters)
        walked = index.options.chunked? || narrowing.broad?
        (walked ? FoundInWalk : FoundOnPage).new(asking(index, request, like), request, options, narrowing)
      end

      def others(like)
        like.nil? ? [] : [{ "not" => { "doc_id" => like.id.to_s } }]
      end
      private_class_method :others

      # Return a function from options to a page of the index.
      def asking(index, request, like)
        return ->(options) { index.collection.search(request.question, **options) } if like.nil?

        lambda do |options|
          first = index.options.chunked? ? "#{like.id}#1" : like.id.to_s
          index.collection.use do |open|
            next open.similar(first, **options) if open.exists?(first)

            open.search(index.text(like), **options)
          end
        end
      end
      private_class_method :asking
    end
  end
end
