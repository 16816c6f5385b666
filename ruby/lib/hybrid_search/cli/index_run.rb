# frozen_string_literal: true

module HybridSearch
  module Cli
    # Stores the records of one run of `index` (CUR-5).
    class IndexRun
      include Base::ShortInspect

      STOP = "stop"

      # The end of messages about vectors that name an option of `Index` without a flag of its own.
      KEEPING = "any_vectors keeps it"

      # A batch that has been read: its records with their lines; whether it has as many records as a batch may have;
      # and, at that time, the number of lines read, the number of records refused, and the position in the input.
      ReadBatch = Struct.new(:records, :whole, :read, :rejected, :position)
      private_constant :ReadBatch

      # @param importer [Records::Importer] stores records
      # @param mapping [Records::RecordMapping] makes records from the contents of lines
      # @param rejects [Rejects] receives records that are skipped
      # @param stops [Boolean] whether an invalid record ends the run
      # @param rebuilds [Boolean] whether nothing is stored before the end
      def initialize(importer, mapping, rejects, stops, rebuilds)
        @importer = importer
        @mapping = mapping
        @rejects = rejects
        @stops = stops
        @rebuilds = rebuilds
        @read = 0
        @ahead = []
        @batch = []
        @refused = nil
      end

      # @return [Hash{String=>Integer}] the counts of records so far
      def counts
        counts_at(@read, @rejects.count)
      end

      # Store all records of lines, batch by batch.
      #
      # @param lines [RecordLines, FileLines] the lines
      # @param batch_size [Integer, nil] the number of records in a batch, or nil for the usual limits (IDX-3)
      # @param progress [Progress] shows the progress
      # @return [void]
      # @raise [InputError] a record is invalid and the run stops; the records before it are stored
      def all(lines, batch_size, progress)
        @importer.workers do |ahead|
          limits = @importer.batch_limits(batch_size)
          batches = Enumerator.new { |out| each_batch(lines, limits) { |batch| out << batch } }
          ahead.of(batches) do |_, ready|
            batch = @ahead.shift
            @batch = batch.records
            store(ready)
            progress.stored(counts_at(batch.read, batch.rejected), batch.position) if batch.whole
          end
        end
        refuse(*@refused) if @refused
        progress.stored(counts, lines.read)
      rescue Interrupt
        raise Interrupt, "interrupted; #{told}; run it again to continue"
      end

      private

      # Return the number of stored records, for the message of a run that ends early.
      def told
        return "nothing has changed" if @rebuilds

        "records stored: #{@importer.added + @importer.updated + @importer.unchanged}"
      end

      # Return the counts of stored records, with those of records that were read and refused until some batch.
      def counts_at(read, rejected)
        {
          "read" => read,
          "added" => @importer.added,
          "updated" => @importer.updated,
          "unchanged" => @importer.unchanged,
          "rejected" => rejected
        }
      end

      # Yield the records of lines in batches; an invalid record at which the run stops ends them.
      def each_batch(lines, limits, &)
        batch = []
        lines.each do |line|
          @read += 1
          record = accepted(line)
          batch << [line, record] if record
          break if @refused
          next unless record && limits.whole_with?(record)

          hand_over(batch, true, lines.read, &)
          batch = []
        end
        hand_over(batch, false, lines.read, &) unless batch.empty?
      end

      def hand_over(batch, whole, position)
        @ahead << ReadBatch.new(batch, whole, @read, @rejects.count, position)
        yield batch.map(&:last)
      end

      # Return the record of a line; nil if it is refused.
      def accepted(line)
        raise InvalidInputError, line.reason if line.content.nil?

        @mapping.record(line.content).tap { |record| @importer.check(record) }
      rescue InvalidInputError, DimensionMismatchError => e
        @stops ? @refused = [line, reason_of(e)] : refuse(line, reason_of(e))
        nil
      end

      # Store the batch; `ready` are the fields of its texts, if they are known.
      def store(ready = nil)
        until @batch.empty?
          begin
            @importer.store(@batch.map(&:last), ready)
            @batch = []
          rescue DimensionMismatchError
            ready = nil
            # An embedding may know the dimension of its vectors only after making some.
            raise unless drop_refused?
          end
        end
      end

      # Remove records from the batch that are refused now; return whether there were any.
      def drop_refused?
        reasons = @batch.map { |_, record| refusal(record) }
        refused = @batch.zip(reasons).filter_map { |(line, _), reason| [line, reason] if reason }
        if refused.any? && @stops
          @batch = @batch.take(reasons.index { |reason| reason })
          store
        else
          @batch = @batch.zip(reasons).filter_map { |pair, reason| pair unless reason }
        end
        refused.each { |line, reason| refuse(line, reason) }
        refused.any?
      end

      def refusal(record)
        @importer.check(record)
        nil
      rescue DimensionMismatchError => e
        reason_of(e)
      end

      # Return the problem with a record, with a flag in place of an option that the message names.
      def reason_of(problem)
        message = problem.message
        return message unless message.end_with?(KEEPING)

        "#{message.delete_suffix(KEEPING)}--embed none in a new file keeps it"
      end

      def refuse(line, reason)
        raise InputError, "#{line.place}: #{reason}; #{told}" if @stops

        @rejects.add(line, reason)
      end
    end
  end
end
