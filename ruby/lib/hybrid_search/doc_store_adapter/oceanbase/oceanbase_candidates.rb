# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The tokens of one field for the candidates, with the numbers of all documents.
      class CandidateField < Snapshot::InvertedIndex
        BM25 = Snapshot::Bm25.of("lucene")

        # @param row [Tables::FieldRow] the field
        # @param places [Hash{String=>Hash{String=>Array<Integer>}}] token → id → its positions, ascending; tokens of
        #   the question only
        # @param lengths [Hash{String=>Integer}] id → the number of tokens of a candidate's field
        # @param documents [Hash{String=>Integer}] token → the number of documents that have it in this field
        def initialize(row, places, lengths, documents)
          super(BM25, Documents::StoredDocument.keyword_field?(row.name), {})
          @row = row
          @positions = places
          @lengths = lengths
          @documents = documents
        end

        # @see Snapshot::InvertedIndex#average_length
        def average_length
          @row.tokens.to_f / @row.documents
        end

        # @see Snapshot::InvertedIndex#average_filled_length
        def average_filled_length
          @row.tokens.to_f / @row.filled
        end

        # Return the idf of a token; this formula has no negative ones.
        #
        # @see Snapshot::InvertedIndex#idf
        def idf(token)
          @bm25.raw_idf(@row.documents, @documents.fetch(token))
        end
      end

      # The candidates of a text leg, which {Snapshot::DocumentIndex} scores like documents.
      class CandidateIndex < Snapshot::DocumentIndex
        # @return [Integer] the number of all documents
        attr_reader :count

        # @param count [Integer] the number of all documents
        # @param rows [Array<Array>] the candidates
        # @param fields [Hash{String=>Tables::FieldRow}] name → field, of the searched fields that documents have
        # @param tokens [Array<String>] the tokens of the question
        # @param holding [Array<Array(String, Array<Integer>, Integer)>] for each token and each set of fields the
        #   number of documents, as {OceanBaseTables#holding} returns it
        def initialize(count, rows, fields, tokens, holding)
          super(CandidateField::BM25)
          @count = count
          @identifiers = rows.map { |row| row[1].dup.force_encoding(Encoding::UTF_8) }
          known = tokens.to_h { |token| [OceanBaseTokens.encoded(token), token] }
          searched = fields.values.map(&:field)
          inside = searched.to_h { |number| [number, Hash.new(0)] }
          @documents_with = tokens.to_h { |token| [token, 0] }
          holding.each { |token, numbers, held| add(known.fetch(token), numbers & searched, held, inside) }
          places, lengths = read(rows, searched, known)
          @searched = fields.transform_values do |row|
            CandidateField.new(row, places[row.field], lengths[row.field], inside[row.field])
          end
        end

        # @return [Array<String>] the ids of the candidates, all of which pass
        def passing(_filters)
          @identifiers
        end

        private

        def add(token, numbers, documents, inside)
          @documents_with[token] += documents unless numbers.empty?
          numbers.each { |number| inside[number][token] += documents }
        end

        def text_index(field)
          @searched[field] || Snapshot::InvertedIndex.new(@bm25, false, {})
        end

        def holding(token, _frequencies)
          @documents_with.fetch(token)
        end

        # Return number of a searched field → token → id → positions, and number of a field → id → number of tokens.
        def read(rows, searched, known)
          wanted = searched.flat_map do |field|
            known.map { |encoded, token| ["#{field}#{encoded}", [field, token]] }
          end.to_h
          places = searched.to_h { |field| [field, {}] }
          lengths = searched.to_h { |field| [field, {}] }
          @identifiers.zip(rows) do |identifier, (_, _, written, words)|
            starts = starts_of(OceanBaseTokens.read_lengths(written), identifier, lengths)
            words.split.each_with_index do |word, place|
              field, token = wanted[word]
              next if field.nil?

              ((places[field][token] ||= {})[identifier] ||= []) << (place - starts.fetch(field))
            end
          end
          [places, lengths]
        end

        # Return number of a field → the number of words before it; note the lengths of searched fields.
        def starts_of(written, identifier, lengths)
          start = 0
          written.each_with_object({}) do |(field, length), starts|
            starts[field] = start
            start += length
            lengths[field][identifier] = length if lengths.key?(field)
          end
        end
      end

      # The text leg of a search in OceanBase (OB-2): candidates by the engine, scores by this library.
      #
      # The engine returns the documents that it scores best for the tokens of a question. This library scores them with
      # its own formulas, from the numbers of all documents: a candidate has the same score as in a {MemoryDocStore}.
      class OceanBaseCandidates
        include Base::ShortInspect

        # The number of candidates for each wanted document, since the engine orders them by other scores.
        MORE = 2
        # The minimum number of candidates.
        CANDIDATES = 1_000
        private_constant :MORE, :CANDIDATES

        # @param tables [OceanBaseTables] the tables in one state
        # @param query [Queries::MatchExprs::TextQuery, Queries::MatchExprs::Bm25fQuery]
        # @param filters [AdapterKit::Filters]
        def initialize(tables, query, filters)
          @tables = tables
          @query = query
          @filters = filters
          rows = query.fields.to_h { |name, _| [name, tables.fields[name]] }
          @fields = rows.select { |_, row| row&.filled&.positive? }
          @tokens = query.tokens.to_a.sort
          @encoded = @tokens.map { |token| OceanBaseTokens.encoded(token) }
        end

        # @return [Array<Array(String, Float)>] the leg, at most `topn` documents
        def leg
          empty? ? [] : scored(@query.topn)[0]
        end

        # @return [Snapshot::LegHead] the first hundred documents of a leg, and the number of all
        def head
          return Snapshot::LegHead.of([]) if empty?

          ranking, is_whole = scored(Fusions::FusedLegs::DEPTH)
          total = is_whole ? ranking.size : [@tables.counted(condition), @query.topn].min
          found = Snapshot::LegHead.of(ranking)
          Snapshot::LegHead.new(found.ranking, total) { |identifiers| found.scores(identifiers) }
        end

        private

        def empty?
          @query.topn.zero? || @fields.empty? || @tokens.empty?
        end

        # Return the leg, and whether it consists of all documents that match.
        def scored(limit)
          most = [CANDIDATES, MORE * [limit, @tables.count].min].max
          rows = @tables.connection.rows("candidates", words: words(@fields), score:, filter:, limit: most)
          index = CandidateIndex.new(@tables.count, rows, @fields, @tokens, @tables.holding(@encoded))
          is_bag = @query.is_a?(Queries::MatchExprs::Bm25fQuery)
          [is_bag ? index.bm25f_leg(@query, @filters) : index.text_leg(@query, @filters), rows.size < most]
        end

        def filter
          @tables.condition(@filters)
        end

        def condition
          weighted = @query.fields.select { |_, weight| weight.positive? }.map(&:first)
          fields = @fields.select { |name, _| weighted.include?(name) }
          return "false" if fields.empty?

          "#{@tables.connection.statements.text("score", words: words(fields))} and (#{filter})"
        end

        def words(fields)
          fields.values.flat_map { |row| @encoded.map { |token| "#{row.field}#{token}" } }.join(" ")
        end

        # Return the expression by which the engine orders documents: a sum over fields with equal weights.
        def score
          together = {}
          @query.fields.each do |name, weight|
            (together[weight.to_f] ||= {})[name] = @fields[name] if @fields.key?(name)
          end
          parts = together.sort.map do |weight, fields|
            "#{OceanBaseStatements.value(weight)} * " \
              "#{@tables.connection.statements.text("score", words: words(fields))}"
          end
          parts.join(" + ")
        end
      end
    end
  end
end
