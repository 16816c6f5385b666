# frozen_string_literal: true

module HybridSearch
  module Rails
    # The checked request of a search in a model: a question and options.
    #
    # - `where`: conditions, see {Conditions}. `tenant`: the tenant; required if the model declares one.
    # - `order`: the order instead of the rank, see {ModelOrder}.
    # - `page`: the number of the page; a value that is below 1 or not a number counts as 1. `per`: the number of
    #   records on it; `limit` is another word for it, and `offset` is `page` as a number of records.
    # - `includes`: associations that are loaded with the records.
    # - `highlight`: whether hits have their matches marked. `facets`: the names whose values are counted.
    # - the other options of {Index#search}, such as `vector`, `match_all`, `min_cosine`, `rerank_model`, `profile`.
    class ModelSearch
      include Base::ShortInspect

      OWN = %w[where tenant order page per limit offset includes highlight facets].freeze
      # The options of {Index#search} that are passed on.
      PASSED = (Search::SearchOptions::DEFAULTS.keys -
                %w[filters order_by limit page cursor include highlight facets]).freeze
      PER = 20
      LAST_PAGE = 1_000_000_000
      NUMBER = /\A\s*\+?0*([1-9]\d{0,11})(?:\s*\z|\D)/
      # The options that exclude each other; the last given one counts.
      OTHER_WORDS = { limit: :per, per: :limit, page: :offset, offset: :page }.freeze
      private_constant :NUMBER, :LAST_PAGE, :OTHER_WORDS

      # @return [String]
      attr_reader :question
      # @return [Hash{Symbol=>Object}] the given options
      attr_reader :options

      # @param index [ModelIndex]
      # @param question [String, nil] nil counts as an empty text
      # @param options [Hash{Symbol=>Object}]
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def initialize(index, question, options)
        @index = index
        @names = index.names
        Habits.check("option", options.keys, [*OWN, *PASSED], Habits::SEARCH)
        @question = question.nil? ? "" : Base::Validation.text("question", question)
        @options = options.freeze
        raise InvalidInputError, "per and limit exclude each other" if options[:per] && options[:limit]

        check
        freeze
      end

      # @param changes [Hash{Symbol=>Object}] other options
      # @return [ModelSearch] the same question with these options
      def with(**changes)
        replaced = OTHER_WORDS.filter_map { |name, other| [other, nil] if changes.key?(name) }.to_h
        ModelSearch.new(@index, @question, { **@options, **replaced, **changes })
      end

      # @return [Integer] the number of the page, from 1
      # @raise [InvalidInputError] `offset` is not the beginning of a page
      def page
        offset = @options[:offset]
        return number(@options[:page]) || 1 if offset.nil?
        return (offset / per) + 1 if (offset % per).zero?

        raise InvalidInputError, "offset must be a multiple of #{per}, the number of records on a page, not #{offset}"
      end

      # @return [Integer] the number of records on a page
      def per
        asked = number(@options[:per] || @options[:limit]) || default_per
        [asked, Search::SearchOptions::DEFAULTS.fetch("candidates")].min
      end

      # @return [Boolean] whether the request is empty
      def blank?
        question.strip.empty? && @options[:vector].nil? && !@options[:match_all] && !@index.options.search[:match_all]
      end

      # @return [Array<Symbol, Hash>] the associations to load
      def includes
        ::Kernel.Array(@options[:includes])
      end

      # @return [Boolean]
      def highlight?
        @options[:highlight] == true
      end

      # @return [Array<String>] the names whose values are counted
      def facets
        ::Kernel.Array(@options[:facets]).map(&:to_s)
      end

      # @param filters [Array<Hash>] conditions beyond `where`
      # @return [Hash{Symbol=>Object}] the options of {Index#search}, except for the page
      def search_options(filters = [])
        passed = @options.slice(*PASSED.map(&:to_sym))
        all = [Conditions.new(@names).filters(@options[:where]), *filters].compact
        passed[:collapse] = @names.field("collapse", passed[:collapse]) if passed[:collapse]
        found = { **@index.options.search, **passed, highlight: highlight?,
                                                     order_by: ModelOrder.order_by(@names, @options[:order]),
                                                     facets: if facets.empty?
                                                               nil
                                                             else
                                                               facets.map do |name|
                                                                 @names.field("facets", name)
                                                               end
                                                             end }
        found[:filters] = all.size == 1 ? all[0] : { "all" => all } unless all.empty?
        found.compact
      end

      private

      def check
        Base::Validation.boolean("highlight", @options.fetch(:highlight, false))
        Base::Validation.integer("offset", @options[:offset], 0) unless @options[:offset].nil?
        search_options
      end

      # Return a number in the form in which an address may contain it; nil for any other value.
      def number(value)
        case value
        when ::Integer then value.positive? ? [value, LAST_PAGE].min : nil
        when ::String then value.valid_encoding? ? number(value[NUMBER, 1]&.to_i) : nil
        end
      end

      def default_per
        model = @index.model
        return model.default_per_page if model.respond_to?(:default_per_page)

        model.respond_to?(:per_page) && model.per_page.is_a?(::Integer) ? model.per_page : PER
      end
    end
  end
end
