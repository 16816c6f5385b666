# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the nearest documents in one state of an index file (SQL-5, DOC-3).
    #
    # Sketches are read when a question needs them, and so are vectors. They are cached from state to state until they
    # have changed. Documents that have changed since sketches were read are compared by their vectors. Sketches are
    # cached in the form that sums need (see {IntegerBytes#initialize}) if there is room for that. If the sketches of a
    # field exceed the limit, they are read for each question, some blocks after the others; vectors are cached as long
    # as there is room. Several threads may search at once.
    class SqliteVectors
      include Base::ShortInspect

      BYTES_AT_ONCE = 16 << 20
      BYTES_IN_FLOAT = 8
      DOUBLE_ROUNDOFF = Float::EPSILON / 2

      BYTES_BESIDES = 120

      # The sketches of a field: the blocks of the sketches, each with the generation of its last change; the data that
      # were read of each block; their size in bytes; parts of them; the norms and vectors that were read, by number;
      # and the documents that have changed since, each with whether it has a vector.
      CachedSketches = Struct.new(:blocks, :read, :bytes, :parts, :vectors, :touched)
      # Sketches that were prepared together: the numbers of the documents that have one, the places of the products,
      # ratios and errors, the largest error, and the steps.
      SketchPart = Struct.new(:numbers, :places, :ratios, :errors, :largest_error, :columns)
      # The numbers of documents, and the limits of the cosine of each.
      Bounds = Struct.new(:numbers, :highest, :lowest)
      private_constant :BYTES_BESIDES, :CachedSketches, :SketchPart, :Bounds

      # @param memory [Integer] the maximum number of bytes of cached sketches
      def initialize(memory)
        @memory = memory
        @kept = {}
      end

      # @param touched [Array<Integer>, nil] the numbers of the documents that have changed since; nil if they are not
      #   known
      # @return [SqliteVectors] the object that finds the nearest documents in a later state
      def after(touched)
        kept = @kept.transform_values do |sketches, changed|
          [sketches, touched && changed ? changed | touched : nil]
        end
        SqliteVectors.new(@memory).tap { |later| later.take_over(kept) }
      end

      # @param query [Stores::Queries::MatchExprs::DenseQuery]
      # @param row [Stores::Tables::FieldRow] the field
      # @param tables [Stores::Sqlite::SqliteTables]
      # @param limit [Integer] the maximum number of wanted documents
      # @param allowed [String, nil] for each number a byte, 1 if its document may match; nil if all may
      # @return [Array(Array<Integer>, Array<Float>)] the numbers and cosines of documents, among them the best `limit`
      #   with all ties of the last, in no order
      def best(query, row, tables, limit, allowed)
        dimension = query.vector.size
        found = []
        cosines = []
        numbers, all_there = worth(query, row, tables, limit, allowed)
        vectors = 0
        numbers.each_slice([1, BYTES_AT_ONCE / (8 * dimension)].max) do |some|
          index, size = exact(row, dimension, tables, some)
          vectors += size
          part = index.best(query.vector, limit, query.similarity, nil)
          found.concat(part[0])
          cosines.concat(part[1])
        end
        raise tables.damaged if all_there ? vectors != numbers.size : allowed.nil? && vectors != row.documents

        [found, cosines]
      end

      protected

      # @param caches [Hash] the caches of an earlier state by field, and the documents that have changed since
      def take_over(caches)
        @kept = caches
      end

      private

      # Return the numbers of documents that may be among the best, ascending, and whether all of them have a vector.
      def worth(query, row, tables, limit, allowed)
        norm = Base::Numeric.norm(query.vector)
        few = (allowed ? allowed.count("\x01") : tables.numbers) <= limit
        if few || !Stores::Tables::VectorSketch.sound?(norm)
          return [(0...tables.numbers).select { |number| allowed.nil? || allowed.getbyte(number) == 1 }, false]
        end

        unit = query.vector.map { |component| component / norm }
        bounds = Bounds.new([], [], [])
        sketches = 0
        touched = ready(row, unit.size, tables)
        counted = without(allowed, touched, tables)
        each_part(row, unit.size, tables) do |part|
          sketches += part.numbers.size
          sketches -= part.numbers.count { |number| touched.key?(number) } unless touched.empty?
          append_bounds(bounds, part, unit, query, limit, counted)
        end
        fresh = touched.keys.select { |number| touched[number] }
        raise tables.damaged if sketches + fresh.size != row.documents

        fresh.select! { |number| allowed.getbyte(number) == 1 } if allowed
        [near(bounds, limit) + fresh, true]
      end

      # Return the numbers of documents whose sketches may be among the best.
      def near(bounds, limit)
        numbers = bounds.numbers
        return numbers if numbers.size <= limit

        least = limit.zero? ? Float::INFINITY : bounds.lowest.max(limit)[-1]
        found = []
        bounds.highest.each_with_index { |highest, index| found << numbers[index] if highest >= least }
        found
      end

      # Return for each number a byte, 1 if its document may match and has not changed.
      def without(allowed, touched, tables)
        return allowed if touched.empty?

        mask = allowed ? allowed.dup : "\1".b * tables.numbers
        touched.each_key { |number| mask.setbyte(number, 0) }
        mask
      end

      # Update the cache of a field to this state; return the documents that have changed since its sketches were read,
      # each with whether it has a vector.
      def ready(row, dimension, tables)
        known, changed = @kept[row.name]
        return {} if known.nil? || changed.nil?
        return known.touched if changed.empty?

        touched = known.touched.merge(changed.to_h { |number| [number, false] })
        return {} if touched.size > TouchedDocuments::MOST_TOUCHED

        vectors = known.vectors.dup
        changed.each { |number| vectors.delete(number) }
        tables.vectors(row.field, changed, dimension).each do |number, norm, vector|
          touched[number] = true
          vectors[number] = [norm, vector]
        end
        later = CachedSketches.new(known.blocks, known.read, known.bytes, known.parts, vectors, touched)
        @kept = @kept.merge(row.name => [later, []])
        touched
      end

      # Return the cache of a field, if it is of this state.
      def current(name)
        known, changed = @kept[name]
        known if changed == []
      end

      # Add the document number of each vector that may be near enough, and the limits of its cosine.
      def append_bounds(bounds, part, unit, query, limit, allowed)
        products, missed = part.columns.products(unit)
        slack = (missed * Stores::Tables::VectorSketch::WIDER) + Stores::Tables::VectorSketch.slack(
          unit.size, DOUBLE_ROUNDOFF
        )
        estimates = estimates(part, products)
        errors = part.errors
        places = allowed ? allowed_places(part, allowed) : reaching(estimates, part.largest_error, slack, limit)
        places.each do |index|
          error = errors[index]
          error += (1.0 + error) * slack
          estimate = estimates[index]
          next if query.similarity && estimate + error < query.similarity

          bounds.numbers << part.numbers[index]
          bounds.highest << (estimate + error)
          bounds.lowest << (estimate - error)
        end
      end

      def estimates(part, products)
        ratios = part.ratios
        estimates = Array.new(ratios.size, 0.0)
        index = 0
        part.places.each do |place|
          estimates[index] = products[place] * ratios[index]
          index += 1
        end
        estimates
      end

      def allowed_places(part, allowed)
        numbers = part.numbers
        numbers.each_index.select { |index| allowed.getbyte(numbers[index]) == 1 }
      end

      # Return the places of estimates that may be among the best `limit`, if each error is the largest one.
      def reaching(estimates, largest, slack, limit)
        return estimates.each_index if estimates.size <= limit || limit.zero?

        least = estimates.max(limit)[-1] - (2 * (largest + ((1.0 + largest) * slack)))
        estimates.each_index.select { |index| estimates[index] >= least }
      end

      def each_part(row, dimension, tables, &)
        known = current(row.name)
        return known.parts.each(&) if known

        known, = @kept[row.name]
        blocks = tables.sketch_generations(row.field)
        sketches = blocks.size * Stores::Sqlite::SqliteSchema::VECTORS_IN_BLOCK
        bytes = sketches * ((2 * dimension) + (4 * BYTES_IN_FLOAT))
        if bytes > @memory
          @kept = @kept.except(row.name)
          per_part = [1, blocks.size * BYTES_AT_ONCE / [1, bytes].max].max
          blocks.each_slice(per_part) { |some| yield part(read(row, dimension, tables, some, {}).values, false) }
        else
          spread = sketches * IntegerBytes::PARTS * dimension
          spread = 0 if bytes + spread > @memory
          bytes += spread
          read = read(row, dimension, tables, blocks, known ? known.read : {})
          parts = read.empty? ? [] : [part(read.values, spread.positive?)]
          vectors = kept_vectors(known, blocks)
          sketches = CachedSketches.new(blocks, read, bytes, parts, vectors, {})
          @kept = others(row.name, bytes).merge(row.name => [sketches, []])
          parts.each(&)
        end
      end

      # Return the cached sketches of other fields that still fit.
      def others(name, bytes)
        room = @memory - bytes
        @kept.select do |other, (sketches, _)|
          next false if other == name || sketches.bytes > room

          room -= sketches.bytes
          true
        end
      end

      # Return the sketches of blocks; those that have not changed are taken from the known ones.
      def read(row, dimension, tables, blocks, known)
        blocks.to_h do |entry|
          [entry, known[entry] || tables.sketches(row.field, entry[0], dimension) || raise(tables.damaged)]
        end
      end

      def part(blocks, spread)
        size = Stores::Sqlite::SqliteSchema::VECTORS_IN_BLOCK
        errors = blocks.flat_map { |block| block.errors.unpack("E*") }
        ratios = blocks.flat_map { |block| block.ratios.unpack("E*") }
        places = errors.each_index.reject { |place| errors[place] == Stores::Tables::VectorSketch::ABSENT }
        numbers = places.map { |place| (blocks[place / size].block * size) + (place % size) }
        columns = SketchColumns.new(blocks.map(&:steps), size, spread)
        of_places = ->(values) { places.map { |place| values[place] } }
        of_products = places.map { |place| columns.place(place) }
        errors = of_places.call(errors)
        SketchPart.new(numbers, of_products, of_places.call(ratios), errors, errors.max || 0.0, columns)
      end

      # Return the vectors of an earlier state whose blocks have not changed.
      def kept_vectors(known, blocks)
        return {} unless known

        same = (known.blocks & blocks).to_h { |block, _| [block, true] }
        known.vectors.select { |number, _| same[number / Stores::Sqlite::SqliteSchema::VECTORS_IN_BLOCK] }
      end

      # Return an index of the vectors of some documents, and the number of these vectors.
      def exact(row, dimension, tables, numbers)
        known = current(row.name)
        there = known ? known.vectors : {}
        found = numbers.select { |number| there.key?(number) }.to_h { |number| [number, there[number]] }
        read = tables.vectors(row.field, numbers.reject { |number| found.key?(number) }, dimension)
        read.each { |number, norm, vector| found[number] = [norm, vector] }
        keep(known, read, dimension) if known
        norms, vectors = found.values.transpose
        [FastDenseIndex.of(dimension, vectors || [], found.keys, norms || []), found.size]
      end

      # Cache vectors that were read; if there is no room for them, earlier ones are removed.
      def keep(known, read, dimension)
        most = (@memory - known.bytes) / ((BYTES_IN_FLOAT * dimension) + BYTES_BESIDES)
        return if read.size > most

        known.vectors = {} if known.vectors.size + read.size > most
        read.each { |number, norm, vector| known.vectors[number] = [norm, vector] }
      end
    end
  end
end
