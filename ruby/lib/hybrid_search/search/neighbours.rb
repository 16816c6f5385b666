# frozen_string_literal: true

module HybridSearch
  module Search
    # Finds the chunks before and after a hit in its document (ARR-6).
    class Neighbours
      include Base::ShortInspect

      # The maximum number of neighbours on each side.
      MOST = 10
      # The minimum number of chunks of a document that are put into order.
      LISTED = 10_000
      POSITIONS = "position_int"

      # @param store [DocStoreAdapter] the documents
      # @param filters [AdapterKit::Filters] the filters of the search
      # @param count [Integer] the number of neighbours on each side
      def initialize(store, filters, count)
        @store = store
        @shown = FilteredDocuments.new(store, filters)
        @count = count
        freeze
      end

      # @param documents [Array<Hash{String=>Object}>] the documents of the hits
      # @param parents [Array<String>] the ids of hits that replace their children: these and their neighbours may be
      #   unavailable
      # @return [Hash{String=>Hash{String=>Array<Hash>}}] the neighbours of each hit by its id: records `before` and
      #   `after` it, in the document's order
      def of(documents, parents)
        places = places(documents)
        sides = documents.to_h { |document| [document["id"], sides(places[document["id"]])] }
        records = records(sides, parents)
        sides.to_h do |identifier, (before, after)|
          [identifier, {
            "before" => before.filter_map { |one| records[[identifier, one]] },
            "after" => after.filter_map { |one| records[[identifier, one]] }
          }]
        end
      end

      private

      # Return the place of each chunk of the documents to which the hits belong, if it has positions: the ids of chunks
      # in the order of their document, and its index among them.
      def places(documents)
        names = documents.filter_map { |one| one["doc_id"] if one["doc_id"].is_a?(::String) }.uniq.sort
        return {} if names.empty?

        rows = rows(@store.search(select_fields: ["doc_id", POSITIONS, Parents::PARENT],
                                  filters: { "doc_id" => names }, limit: LISTED * names.size))
        rows.each_value.with_object({}) do |row, places|
          ordered = row.sort.map(&:last)
          ordered.each_with_index { |identifier, index| places[identifier] = [ordered, index] }
        end
      end

      def rows(listed)
        listed.fields.each_with_object({}) do |(identifier, fields), rows|
          position = position(fields[POSITIONS])
          next if position.empty?

          (rows[[fields["doc_id"], Parents.parent_of(fields).nil?]] ||= []) << [position, identifier]
        end
      end

      # Return the ids before and after a place.
      def sides(place)
        return [[], []] if place.nil?

        ordered, index = place
        first = [0, index - @count].max
        [ordered[first...index], ordered[index + 1, @count]]
      end

      # Return the records of neighbours by the id of the hit and their own.
      def records(sides, parents)
        [nil, {}].each_with_object({}) do |leading, records| # the availability of neighbours counts, or it does not
          names = sides.keys.reject { |name| parents.include?(name) == leading.nil? }
          pairs = names.flat_map { |name| sides.fetch(name).flatten.map { |one| [name, one] } }
          found = pairs.empty? ? {} : @shown.of(pairs.to_h { |_, one| [one, leading] })
          pairs.each { |name, one| records[[name, one]] = Records::RecordOf.record(found[one]) if found.key?(one) }
        end
      end

      # Return the first list of numbers in positions; an empty list without positions.
      def position(value)
        value = value[0] while value.is_a?(::Array) && value[0].is_a?(::Array)
        value.is_a?(::Array) ? value.grep(::Numeric) : []
      end
    end
  end
end
