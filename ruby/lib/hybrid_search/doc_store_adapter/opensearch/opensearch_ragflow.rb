# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # The queries of an index made by RAGFlow about a single field.
      #
      # RAGFlow's mapping determines the type of a field by the ending of its name.
      class RagflowLeaves
        include Base::ShortInspect

        KEYWORDS = /\A(?:.*_(?:kwd|id|ids|uid|uids)|uid)\z/m
        NUMBERS = /\A.*_(?:int|long|flt)\z/m
        THERE = /\A(?:.*_(?:kwd|id|ids|uid|uids|int|long|flt|tks|ltks|vec)|uid)\z/m
        # The largest numbers of the engine's types, by the endings of field names.
        LARGEST = { "_int" => (1 << 31) - 1, "_long" => (1 << 63) - 1, "_flt" => 3.4e38 }.freeze
        LONGEST_NAME = 512

        # @param identifiers [Array<String>]
        # @return [Hash] a query for the documents with these ids
        def identified(identifiers)
          identifiers.empty? ? OpenSearchFilters::NOTHING : { "ids" => { "values" => identifiers.sort } }
        end

        # @return [Hash] a query for the documents whose `available_int` is below 1
        def unavailable
          { "range" => { "available_int" => { "lt" => 1 } } }
        end

        # @param path [Documents::FieldPath]
        # @return [Hash] a query for the documents that have a field
        def exists(path)
          raise unknown(path.name) unless THERE.match?(path.name) && plain?(path.name)

          { "exists" => { "field" => path.name } }
        end

        # @param condition [Filters::FilterConditions::Valued]
        # @return [Hash] a query for the documents with an accepted value; it ignores `exists`
        def valued(condition)
          name = condition.path.name
          raise unknown(name) unless plain?(name)
          return having(name, condition, "text") if KEYWORDS.match?(name)
          return having(name, condition, "number") if NUMBERS.match?(name)

          raise unknown(name)
        end

        private

        def having(name, condition, kind)
          if condition.wanted
            wanted = OpenSearchFilters.within(condition).select { |key| fits?(name, key, kind) }
            return OpenSearchFilters.terms(name, wanted.map { |key| key[1] }.sort)
          end
          return OpenSearchFilters::NOTHING if condition.bounds.any? { |bound| bound.limit[0] != kind }
          return having_parts(name, condition, kind) unless condition.parts.empty?

          sides = {}
          condition.bounds.each { |bound| narrow(sides, bound.operator, bound.limit[1]) }
          return OpenSearchFilters::NOTHING if kind == "number" && !clamped?(name, sides)

          sides.empty? ? { "exists" => { "field" => name } } : { "range" => { name => sides } }
        end

        def having_parts(name, condition, kind)
          return OpenSearchFilters::NOTHING if kind != "text"

          patterns = condition.parts.map { |part| { "wildcard" => { name => { "value" => wildcard(part) } } } }
          within_bounds = Filters::FilterConditions::Valued.new(condition.path, nil, condition.bounds)
          { "bool" => { "filter" => [*patterns, having(name, within_bounds, kind)] } }
        end

        # Return a part of a text as a wildcard pattern of the engine.
        def wildcard(part)
          text = part.part.gsub(/[\\*?]/) { |one| "\\#{one}" }
          "#{"*" unless part.operator == "starts_with"}#{text}#{"*" unless part.operator == "ends_with"}"
        end

        # Add a bound, and retain the tighter one on each side, since a single value must satisfy both.
        def narrow(sides, operator, limit)
          lower = operator.start_with?("g")
          strict = lower ? "gt" : "lt"
          other = [strict, "#{strict}e"].find { |name| sides.key?(name) }
          return sides[operator] = limit unless other

          tighter = lower ? limit > sides[other] : limit < sides[other]
          return unless tighter || (limit == sides[other] && operator == strict)

          sides.delete(other)
          sides[operator] = limit
        end

        # Remove bounds that the engine's type cannot represent; return whether any value can be within the bounds.
        def clamped?(name, sides)
          most = most(name)
          sides.to_a.each do |operator, limit|
            return false if operator.start_with?("g") ? limit > most : limit < -most

            sides.delete(operator) if limit.abs > most
          end
          true
        end

        # Return whether a field can contain a value; engines refuse queries with some other values.
        def fits?(name, key, kind)
          return false unless key[0] == kind
          return true unless kind == "number"

          key[1].abs <= most(name) && (name.end_with?("_flt") || key[1] == key[1].to_i)
        end

        def most(name)
          LARGEST.find { |ending, _| name.end_with?(ending) }[1]
        end

        def plain?(name)
          name.length <= LONGEST_NAME && !name.include?(".") && !name.include?("*")
        end

        def unknown(name)
          shown = Base::Validation.describe(name)
          DocStoreError.new("an index that RAGFlow made cannot be filtered by #{shown}: only fields whose " \
                            "names end in _kwd, _id, _ids, _uid, _uids, _int, _long or _flt are")
        end
      end

      # The layout of an index made by RAGFlow, and its queries; nothing is written into such an index (OS-5).
      #
      # The vectors must use the engine lucene.
      class RagflowLayout
        include Base::ShortInspect

        # @return [Boolean] whether such an index is read-only
        def read_only
          true
        end

        # @return [RagflowLeaves]
        def leaves
          RagflowLeaves.new
        end

        # @return [Array<Hash>] the order by ids
        def order
          [{ "id.keyword" => { "order" => "asc", "unmapped_type" => "keyword" } }]
        end

        # @return [Hash] the options of a search that returns no stored fields
        def nothing_stored
          { "_source" => false }
        end

        # @param hit [Hash]
        # @return [String] the id of a found document
        def identifier(hit)
          hit["_id"]
        end

        # Accept any index.
        #
        # @param _index [String]
        # @param _meta [Hash, nil]
        # @return [void]
        def check(_index, _meta); end

        # @return [nil] RAGFlow's indexes have no field that only one of them has
        def identity(_properties); end

        # Return the stored document.
        #
        # A vector field with another value stays a field, so that the rerankers report it (RNK-1).
        #
        # @param identifier [String] its id
        # @param source [Hash]
        # @param vectors [Array<String>, nil] the vector fields to return; nil returns all
        # @return [Documents::StoredDocument]
        def document(identifier, source, vectors)
          own = source.reject { |field, value| value.nil? || field == "id" }
          found, fields = own.partition { |field, _| field.end_with?("_vec") }.map(&:to_h)
          Documents::StoredDocument.new(identifier, { "id" => identifier, **fields },
                                        vectors ? found.slice(*vectors) : found)
        end

        # @param field [String]
        # @param clause [Queries::QueryClauses::Clause]
        # @return [Hash] a query for the documents that contain a clause in a field, without its boost
        def matching(field, clause)
          text = clause.tokens.join(" ")
          if Documents::StoredDocument.keyword_field?(field) || clause.tokens.size == 1
            return { "term" => { field => { "value" => text } } }
          end

          slop = [clause.slop, TextQueries::LARGEST_SLOP].min
          { "match_phrase" => { field => { "query" => text, "slop" => slop } } }
        end

        # @param _field [String]
        # @return [nil] RAGFlow's mapping refuses zero vectors
        def zero(_field)
          nil
        end

        # @param field [String]
        # @return [String] the name unchanged
        def vector_name(field)
          field
        end
      end
    end
  end
end
