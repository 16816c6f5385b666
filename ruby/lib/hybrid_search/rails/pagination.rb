# frozen_string_literal: true

module HybridSearch
  module Rails
    # The methods that views of kaminari and will_paginate, and pagy, call on a page of records.
    #
    # `pagy(Article.hybrid(…))` works, as does `Pagy.new(count: results.total_count, page: results.current_page, limit:
    # results.limit_value)`.
    module Pagination
      # @return [Integer] the number of records on all pages, the same on each of them
      def total_count
        found.total
      end
      alias total_entries total_count

      # @return [Boolean] whether more may match: the number of found candidates is the maximum, the option `candidates`
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

      # @return [Integer] the number of records on the previous pages
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

      # @return [Integer, nil] the number of the previous page
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

      # @return [Boolean] whether the page does not exist
      def out_of_range?
        current_page > total_pages
      end
      alias out_of_bounds? out_of_range?

      # Return the name of the records, for the line "Displaying articles 1 - 20 of 37 in total".
      #
      # @param options [Hash] the options of `ActiveModel::Name#human`
      # @return [String]
      def entry_name(options = {})
        name = model.model_name
        name.human({ default: options[:count] == 1 ? name.human.downcase : name.human.downcase.pluralize, **options })
      end
    end
  end
end
