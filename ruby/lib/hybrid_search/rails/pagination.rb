# frozen_string_literal: true

module HybridSearch
  module Rails
    # What views of kaminari and will_paginate, and pagy, ask of a page of records.
    #
    # `pagy(Article.hybrid(…))` works, as does `Pagy.new(count: results.total_count, page: results.current_page, limit:
    # results.limit_value)`.
    module Pagination
      # @return [Integer] the number of records on all pages, the same on each of them
      def total_count
        found.total
      end
      alias total_entries total_count

      # @return [Boolean] whether more may match: as many were found as the option `candidates` lets through
      def total_is_lower_bound?
        found.total_is_lower_bound
      end

      # @return [Integer] the number of this page, from 1
      def current_page
        request.page
      end

      # @return [Integer] the number of records on a full page
      def limit_value
        request.per
      end
      alias per_page limit_value

      # @return [Integer] the number of records on the pages before
      def offset_value
        (current_page - 1) * limit_value
      end

      # @return [Integer] the number of pages
      def total_pages
        -(-total_count / limit_value)
      end
      alias num_pages total_pages

      # @return [Integer, nil] the number of the next page
      def next_page
        current_page + 1 if current_page < total_pages
      end

      # @return [Integer, nil] the number of the page before
      def prev_page
        current_page - 1 if current_page > 1 && !out_of_range?
      end
      alias previous_page prev_page

      # @return [Boolean]
      def first_page?
        current_page == 1
      end

      # @return [Boolean]
      def last_page?
        current_page == total_pages
      end

      # @return [Boolean] whether there is no such page
      def out_of_range?
        current_page > total_pages
      end
      alias out_of_bounds? out_of_range?

      # The name of the records, for the line "Displaying articles 1 - 20 of 37 in total".
      #
      # @param options [Hash] of `ActiveModel::Name#human`
      # @return [String]
      def entry_name(options = {})
        name = model.model_name
        name.human({ default: options[:count] == 1 ? name.human.downcase : name.human.downcase.pluralize, **options })
      end
    end
  end
end
