# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Changes the lengths of fields and the vectors of documents in an index file, in blocks of neighbouring numbers
      # (SQL-1), in a transaction.
      class SqliteBlocks
        include Base::ShortInspect

        # The sketches of a block.
        class Sketches
          include Base::ShortInspect

          # @param dimension [Integer] the number of components of a vector
          # @param known [SketchBlock, nil] the stored sketches
          def initialize(dimension, known)
            @size = SqliteSchema::VECTORS_IN_BLOCK
            @dimension = dimension
            @ratios = known ? known.ratios.unpack("E*") : Array.new(@size, 0.0)
            @errors = known ? known.errors.unpack("E*") : Array.new(@size, Tables::VectorSketch::ABSENT)
            @steps = known ? known.steps.dup : "\0".b * (@size * dimension)
          end

          # Set the sketch of a vector at a place; nil removes it.
          #
          # @return [void]
          def put(place, vector, norm)
            none = Tables::VectorSketch.new(0.0, Tables::VectorSketch::ABSENT, "\0".b * @dimension)
            sketch = vector && norm ? Tables::VectorSketch.of(vector, norm) : none
            @ratios[place] = sketch.ratio
            @errors[place] = sketch.error
            sketch.steps.each_byte.with_index { |step, index| @steps.setbyte((index * @size) + place, step) }
          end

          # @return [Boolean] whether there is no sketch
          def empty?
            @errors.all?(Tables::VectorSketch::ABSENT)
          end

          # @return [Array<String>] the sketches in their stored form
          def parts
            [@ratios.pack("E*"), @errors.pack("E*"), @steps]
          end
        end
        private_constant :Sketches

        # @param tables [SqliteTables] the tables in the view of the transaction
        def initialize(tables)
          @tables = tables
          @connection = tables.connection
        end

        # Write the numbers of tokens that documents have in a field.
        #
        # @param field [Integer] the key of the field
        # @param changes [Hash{Integer=>Integer, nil}] number of a document → number of tokens, or nil for a document
        #   without the field
        # @return [Integer] the number of new blocks
        def change_lengths(field, changes)
          size = Tables::Blobs::LENGTHS_IN_BLOCK
          fresh = 0
          changes.keys.group_by { |number| number / size }.each do |block, numbers|
            known = @tables.length_block(field, block)
            lengths = known ? Tables::Blobs.unpack_lengths(known) : Array.new(size, Tables::Blobs::NO_LENGTH)
            numbers.each { |number| lengths[number % size] = changes[number] || Tables::Blobs::NO_LENGTH }
            packed = Tables::Blobs.pack_lengths(lengths)
            fresh += 1 if known.nil?
            place = key(field, block)
            @connection.run(
              "#{known ? "REPLACE" : "INSERT"} INTO lengths VALUES (?, ?, ?)",
              place, packed, Tables::RowChecksum.of([place], packed)
            )
          end
          fresh
        end

        # Write vectors.
        #
        # @param field [Integer] the key of the field
        # @param name [String] the name of the field
        # @param changes [Hash{Integer=>Array<Float>, nil}] number → the vector, or nil for a document without the field
        # @param generation [Integer] the generation of the file after the change
        # @return [void]
        def change_vectors(field, name, changes, generation)
          dimension = Documents::StoredDocument.vector_dimension("field", name)
          norms = changes.transform_values { |vector| vector && Base::Numeric.norm(vector) }
          changes.each { |number, vector| write_vector(key(field, number), vector, norms[number]) }
          changes.keys.group_by { |number| number / SqliteSchema::VECTORS_IN_BLOCK }.each do |block, numbers|
            sketches = Sketches.new(dimension, @tables.sketches(field, block, dimension))
            numbers.each do |number|
              sketches.put(number % SqliteSchema::VECTORS_IN_BLOCK, changes[number], norms[number])
            end
            write_sketches(key(field, block), generation, sketches)
          end
        end

        private

        def key(field, block)
          (field << Tables::Blobs::NUMBER_BITS) + block
        end

        def write_vector(key, vector, norm)
          return @connection.run("DELETE FROM vectors WHERE vector = ?", key) if vector.nil?

          content = [norm].pack("E") << vector.pack(Tables::Blobs.fits_single?(vector) ? "e*" : "E*")
          @connection.run("REPLACE INTO vectors VALUES (?, ?, ?)", key, content, Tables::RowChecksum.of([key], content))
        end

        def write_sketches(key, generation, sketches)
          return @connection.run("DELETE FROM sketches WHERE block = ?", key) if sketches.empty?

          parts = sketches.parts
          checksum = Tables::RowChecksum.of([key, generation], *parts)
          @connection.run("REPLACE INTO sketches VALUES (?, ?, ?, ?, ?, ?)", key, generation, *parts, checksum)
        end
      end
    end
  end
end
