# frozen_string_literal: true

module HybridSearch
  module Cli
    # Stores the records of one run of `index` (CUR-5).
    class IndexRun
      include Base::ShortInspect

      STOP = "stop"

      # The end of messages about vectors that name an option of `Index` without a flag of its own.
      KEEPING = "any_vectors keeps it"

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
        @batch = []
      end

      # @return [Hash{String=>Integer}] the counts of records so far
      def counts
        {
          "read" => @read,
          "added" => @importer.added,
          "updated" => @importer.updated,
          "unchanged" => @importer.unchanged,
          "rejected" => @rejects.count
        }
      end

      # Store all records of lines, batch by batch.
      #
      # @param lines [RecordLines, FileLines] the lines
      # @param batch_size [Integer] maximum number of records in a batch
      # @param progress [Progress] shows the progress
      # @return [void]
      # @raise [InputError] a record is invalid and the run stops; the records before it are stored
      def all(lines, batch_size, progress)
        lines.each do |line|
          take(line)
          next if @batch.size < batch_size

          store
          progress.stored(counts, lines.read)
        end
        store
        progress.stored(counts, lines.read)
      rescue Interrupt
        raise Interrupt, "interrupted; #{told}; run it again to go on"
      end

      private

      # Return the number of stored records, for the message of a run that ends early.
      def told
        return "nothing has changed" if @rebuilds

        "records stored: #{@importer.added + @importer.updated + @importer.unchanged}"
      end

      def take(line)
        @read += 1
        begin
          raise InvalidInputError, line.reason if line.content.nil?

          record = @mapping.record(line.content)
          @importer.check(record)
          @batch << [line, record]
        rescue InvalidInputError, DimensionMismatchError => e
          store if @stops
          refuse(line, reason_of(e))
        end
      end

      def store
        until @batch.empty?
          begin
            @importer.store(@batch.map(&:last))
            @batch = []
          rescue DimensionMismatchError
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
