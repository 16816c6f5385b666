# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The inverted index of one field for all documents that have it: the documents that contain a token, its
      # positions and its scores (DOC-3); immutable.
      class InvertedIndex
        include Base::ShortInspect

        # @return [Hash{String=>Integer}] id → the number of tokens of a document's field
        attr_reader :lengths

        # @param bm25 [Bm25] the formula
        # @param keywords [Boolean] whether each token is a whole keyword; a phrase is then the keyword of its tokens
        #   joined by a blank
        # @param tokens [Hash{String=>Array<String>}] id → the tokens of a document's field, which may be empty
        def initialize(bm25, keywords, tokens)
          @bm25 = bm25
          @keywords = keywords
          @lengths = tokens.transform_values(&:size)
          # A table: token => id => its positions, ascending.
          @positions = {}
          tokens.each do |identifier, own|
            own.each_with_index { |token, position| ((@positions[token] ||= {})[identifier] ||= []) << position }
          end
          @length = @lengths.each_value.inject(0) { |sum, length| sum + length }
        end

        # @param tokens [Array<String>] a token, or several as a phrase
        # @param slop [Integer]
        # @return [Hash{String=>Float}] id → its score, for each document that contains it
        def scores(tokens, slop)
          tokens = [tokens.join(" ")] if @keywords
          frequencies = frequencies(tokens, slop)
          return {} if frequencies.empty?

          idf = Base::Numeric.sum_left(tokens.map { |token| idf(token) })
          average_length = self.average_length
          frequencies.to_h do |identifier, frequency|
            [identifier, @bm25.score(idf, frequency, @bm25.saturation_length(@lengths[identifier], average_length))]
          end
        end

        # @param token [String]
        # @return [Hash{String=>Integer}] id → the number of occurrences of the token, for documents that contain it
        def counts(token)
          @positions.fetch(token, {}).transform_values(&:size)
        end

        # @return [Float] the mean length over the documents that have the field; there must be one
        def average_length
          @length.to_f / @lengths.size
        end

        # @return [Float] the mean length over the documents whose field has tokens; there must be one
        def average_filled_length
          @average_filled_length ||= @length.to_f / @lengths.each_value.count(&:positive?)
        end

        # @param token [String] a token that occurs
        # @return [Float] its idf; okapi raises a negative idf to epsilon · average idf
        def idf(token)
          idf = @bm25.raw_idf(@lengths.size, @positions.fetch(token).size)
          return idf if idf >= 0

          @bm25.epsilon * average_idf
        end

        private

        def average_idf
          @average_idf ||= @bm25.average_idf(@lengths.size, @positions.each_value.map(&:size).tally)
        end

        # Return id → the frequency of a token or a phrase, for documents that contain it.
        def frequencies(tokens, slop)
          places = tokens.map { |token| @positions.fetch(token, {}) }
          found = {}
          places[0].each_key do |identifier|
            next unless places.all? { |one| one.key?(identifier) }

            frequency = frequency(places.map { |one| one[identifier] }, slop, tokens.uniq.size < tokens.size)
            found[identifier] = frequency if frequency.positive?
          end
          found
        end

        def frequency(positions, slop, repeats)
          return positions[0].size if positions.size == 1

          if slop.zero?
            PhraseMatcher.exact_frequency(positions)
          else
            PhraseMatcher.sloppy_frequency(positions, slop, repeats)
          end
        end
      end
    end
  end
end
