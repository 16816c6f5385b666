# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the lengths of documents that questions touch, in blocks (SQL-5, PG-5), for one state of the tables;
    # the oldest blocks make room.
    #
    # Several threads may use it at once without a lock.
    class KeptLengths
      include Base::ShortInspect

      # If more than 1 / {MANY} of the lengths of a block are wanted, all of them are unpacked.
      MANY = 16
      private_constant :MANY

      # @param memory [Integer] the maximum number of bytes to cache
      def initialize(memory)
        @size = Stores::Tables::Blobs::LENGTHS_IN_BLOCK
        @most = memory / (4 * @size)
        @blocks = {}
        @filled = {}
        @totals = {}
        @changed = {}
        @fields = {}
      end

      # @param touched [Array<Integer>] the numbers of the documents that have changed
      # @return [KeptLengths] the cache of the state after a change
      def after(touched)
        dup.tap { |later| later.change(touched.map { |number| number / @size }.uniq) }
      end

      # @param field [Integer] the key of the field
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the state
      # @return [Integer] the number of documents that have a token in the field
      def filled(field, tables)
        return @totals[field] if @totals.key?(field)

        changed = @changed[field]
        counts = @filled.to_a.filter_map { |(own, block), count| [block, count] if own == field }.to_h
        read = tables.lengths(field, counts, changed && (changed - counts.keys)).to_h
        read.transform_values! { |lengths| lengths.unpack("l<*").count(&:positive?) }
        @fields[field] = true
        @filled.update(read.transform_keys { |block| [field, block] })
        @changed[field] = []
        @totals[field] = counts.values.sum + read.values.sum # whole numbers
      end

      # @param field [Integer] the key of the field
      # @param slots [Array<Integer>] the numbers of documents that have the field, ascending
      # @param tables [Stores::Sqlite::SqliteTables, Stores::Postgres::PostgresTables] the state
      # @return [Array<Integer>] the numbers of tokens of these documents
      def of(field, slots, tables)
        parts = slots.chunk_while { |slot, following| slot / @size == following / @size }.to_a
        blocks = blocks_of(field, parts.map { |part| part[0] / @size }, tables)
        parts.flat_map { |part| lengths_of(blocks[part[0] / @size], part) }
      end

      protected

      def change(changed)
        # Fields are counted before they are in `@changed`: another thread may count one meanwhile.
        @changed = @changed.transform_values { |blocks| blocks | changed }
        @blocks = @blocks.dup
        @filled = @filled.dup
        @fields.keys.product(changed) { |key| [@blocks, @filled].each { |known| known.delete(key) } }
        @totals = {}
      end

      private

      def lengths_of(block, slots)
        return slots.map { |slot| block.unpack1("l<", offset: 4 * (slot % @size)) } if slots.size * MANY < @size

        lengths = block.unpack("l<*")
        slots.map { |slot| lengths[slot % @size] }
      end

      def blocks_of(field, blocks, tables)
        found = blocks.to_h { |block| [block, @blocks[[field, block]]] }
        missing = blocks.reject { |block| found[block] }
        return found if missing.empty?

        read = tables.length_blocks(field, missing).to_h { |own, block, lengths| [[own, block], lengths] }
        missing.each { |block| found[block] = read.fetch([field, block]) }
        keep(read)
        found
      end

      def keep(read)
        return if read.size > @most

        @blocks.shift while !@blocks.empty? && @blocks.size + read.size > @most
        read.each_key { |field, _| @fields[field] = true }
        @blocks.update(read)
      end
    end
  end
end
