# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # The parts of a query builder, checked when they are passed (ERR-3).
    module Parts
      SYNONYMS = "Synonyms, or an object of words, each with a word or a list of words"
      SEARCHABLE = %w[_tks _ltks _kwd].freeze
      private_constant :SYNONYMS, :SEARCHABLE

      module_function

      # @param value [#lookup, Hash{String=>String, Array<String>}, nil]
      # @return [#lookup] the given synonyms, or those of a table word → word or list of words; no synonyms for nil
      # @raise [InvalidInputError] the value is something else, or the table contains something else
      def synonyms(value)
        return Synonyms.new if value.nil?
        return Base::ObjectChecks.having("synonyms", value, %w[lookup], SYNONYMS) unless value.is_a?(::Hash)

        Synonyms.new(dictionary: Base::Validation.mapping("synonyms", value))
      rescue ConfigurationError => e
        raise InvalidInputError, e.message
      end

      # @param value [TermWeight]
      # @return [TermWeight] the given one
      # @raise [InvalidInputError] the value is something else
      def term_weight(value)
        Base::ObjectChecks.instance("term_weight", value, TermWeight, "a TermWeight")
      end

      # @param fields [Hash{String=>Float}]
      # @return [Array<Array(String, Float)>] fields with their boosts, at least 0
      # @raise [InvalidInputError] the value is not an object of numbers, or text is not searched in one of the fields
      def boosts(fields)
        given = Base::Validation.mapping("fields", fields)
        given.each_key do |name|
          next if name.end_with?(*SEARCHABLE)

          raise InvalidInputError, "fields names #{Base::Validation.describe(name)}, in which no text is searched: " \
                                   "tokens are in fields named *_tks and *_ltks, keywords in *_kwd"
        end
        given.map { |name, boost| [name, Base::Validation.number("fields.#{name}", boost, 0.0)] }
      end
    end
  end
end
