# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents that the last changes of a collection have touched, in the form of one state (SQL-5, PG-5).
    class TouchedDocuments
      include Base::ShortInspect

      # The maximum number of documents that are cached; if more of them change, data made before are made again.
      MOST_TOUCHED = 100

      # @return [Integer] the generation of the state
      attr_reader :generation

      # @param generation [Integer] the generation of the state
      # @param steps [Array<Array(Integer, Array<Integer>)>] for each of the last changes the generation before it, and
      #   the numbers of the documents that it has touched; the latest change last
      # @param documents [Hash{Integer=>TouchedDocument}] number → document, of those of the steps that are stored
      # @param vectors [Hash{Array(Integer, Integer)=>Array}] the key of a field and a number → norm and components in
      #   the form of the tables, of the same documents
      def initialize(generation, steps = [], documents = {}, vectors = {})
        @generation = generation
        @steps = steps
        @documents = documents
        @vectors = vectors
        @since = {}
      end

      # @param generation [Integer] the generation of the later state
      # @param touched [Array<Integer>] the numbers of the documents that have changed
      # @param rows [Array<Stores::Tables::DocumentRow>] those among them that are stored; not needed if there are too
      #   many
      # @param vectors [Array<Array>] the key of the field, the number, the norm and components of their vectors
      # @return [TouchedDocuments] the documents after another change
      def after(generation, touched, rows, vectors)
        steps = [*@steps, [@generation, touched]]
        steps = steps.drop(1) while numbers_of(steps).size > MOST_TOUCHED
        wanted = numbers_of(steps).to_h { |number| [number, true] }
        gone = touched.to_h { |number| [number, true] }
        left = wanted.reject { |number, _| gone.key?(number) }
        documents = @documents.select { |number, _| left.key?(number) }
        rows.each { |row| documents[row.number] = TouchedDocument.new(row.fields) if wanted.key?(row.number) }
        known = @vectors.select { |(_, number), _| left.key?(number) }
        vectors.each { |field, number, *row| known[[field, number]] = row if wanted.key?(number) }
        TouchedDocuments.new(generation, steps, documents, known)
      end

      # Return the numbers of the documents that have changed since a generation, ascending; nil if they are not known.
      # There may be more: a change that is noted as one may have begun before it.
      #
      # @param generation [Integer] that of an earlier state
      # @return [Array<Integer>, nil]
      def since(generation)
        return nil if generation < (@steps.empty? ? @generation : @steps[0][0])

        @since[generation] ||= begin
          ends = [*@steps.map(&:first), @generation].drop(1)
          numbers_of(@steps.zip(ends).filter_map { |step, last| step if last > generation }).sort
        end
      end

      # @param field [Integer] the key of a field
      # @param numbers [Array<Integer>] the numbers of documents of the steps
      # @return [Array<Array(Integer, Array)>] the vectors of these documents in the field, each with the number of its
      #   document
      def vectors(field, numbers)
        numbers.filter_map { |number| (row = @vectors[[field, number]]) && [number, row] }
      end

      # @param key [Array(String, Array<String>, Integer)] the name of a field, a token or those of a phrase, the slop
      # @param numbers [Array<Integer>] the numbers of documents of the steps
      # @return [Array<Array(Integer, Numeric, Integer)>] those that contain the token or the phrase, in the same order:
      #   the number, the frequency, and the field's number of tokens
      def matches(key, numbers)
        field, tokens, slop = key
        numbers.filter_map do |number|
          document = @documents[number]
          frequency = document ? document.frequency(field, tokens, slop) : 0
          [number, frequency, document.length(field)] if document && frequency.positive?
        end
      end

      private

      def numbers_of(steps)
        steps.flat_map(&:last).uniq
      end
    end

    # The tokens of a document, of the requested fields.
    class TouchedDocument
      include Base::ShortInspect

      # @param fields [Hash{String=>Object}] its fields
      def initialize(fields)
        @fields = fields
        @known = {}
      end

      # @param field [String]
      # @return [Integer] the number of tokens of a field
      def length(field)
        known(field)[0]
      end

      # @param field [String]
      # @param tokens [Array<String>] a token, or those of a phrase
      # @param slop [Integer]
      # @return [Numeric] the frequency of the token or the phrase in the field
      def frequency(field, tokens, slop)
        positions = known(field)[1]
        return 0 unless tokens.all? { |token| positions.key?(token) }

        places = tokens.map { |token| positions[token] }
        return places[0].size if tokens.size == 1
        return Stores::Snapshot::PhraseMatcher.exact_frequency(places) if slop.zero?

        Stores::Snapshot::PhraseMatcher.sloppy_frequency(places, slop, tokens.uniq.size < tokens.size)
      end

      private

      # Return the number of tokens of a field, and each token's positions, ascending.
      def known(field)
        @known[field] ||= begin
          value = @fields[field]
          tokens = value.nil? ? [] : Stores::Documents::StoredDocument.tokens(field, value)
          positions = {}
          tokens.each_with_index { |token, position| (positions[token] ||= []) << position }
          [tokens.size, positions]
        end
      end
    end
  end
end
