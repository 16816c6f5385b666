# frozen_string_literal: true

module HybridSearch
  module Records
    # Processes that cut the texts of batches into tokens before the main process stores them (IDX-7).
    #
    # Batches are returned in the same order; each process has one at a time. A process is started if all others are
    # busy when a batch arrives. A batch with a record that is not accepted is returned unchanged, so that the error is
    # raised in the same place as without workers.
    class TextWorkers
      include Base::ShortInspect

      # Run a block with workers that end with it.
      #
      # @param (see #initialize)
      # @yieldparam workers [TextWorkers]
      # @return [Object] the result of the block
      def self.open(tokenizer, count)
        workers = new(tokenizer, count)
        yield workers
      ensure
        workers&.close
      end

      # @param tokenizer [#tokenize, #fine_grained] cuts texts into tokens
      # @param count [Integer] the number of processes; 1 starts none
      # @raise [InvalidInputError] the tokenizer cannot be made again in another process
      def initialize(tokenizer, count)
        @count = count
        @tokenizer = tokenizer
        @idle = []
        @waiting = []
        return if count == 1 || recipe

        raise InvalidInputError, "workers must be 1 with this tokenizer, not #{count}: only a Tokenizer with a " \
                                 "Segmenter of this library can work in other processes"
      end

      # @param batch [Array<Object>] records
      # @return [Array(Array, Array), nil] the oldest batch and the fields of its texts, which are nil if no process has
      #   made them; nil as long as there are fewer batches than processes
      def push(batch)
        return [batch, nil] if @count == 1

        found = oldest if @waiting.size == @count
        @waiting << [batch, at_work(batch)]
        found
      end

      # Yield the remaining batches, in order.
      def rest
        yield(*oldest) until @waiting.empty?
      end

      # Yield batches in order; an error of their source comes after the batches before it.
      #
      # @param batches [#each]
      # @yieldparam batch [Array<Object>]
      # @yieldparam ready [Array<Hash>, nil] the fields of its texts, if a process has made them
      # @return [void]
      def of(batches, &)
        problem = failure_of(batches) do |batch|
          found = push(batch)
          yield(*found) if found
        end
        rest(&)
        raise problem if problem
      end

      # End all processes.
      def close
        processes = @idle + @waiting.filter_map(&:last)
        @idle = []
        @waiting = []
        processes.each(&:end)
      end

      private

      # Yield batches; return the error of their source, if it has one.
      def failure_of(batches)
        inside = false
        batches.each do |batch|
          inside = true
          yield batch
          inside = false
        end
        nil
      rescue StandardError => e
        raise if inside

        e
      end

      def oldest
        batch, process = @waiting.first
        ready = process&.receive
        @waiting.shift
        @idle << process if process
        [batch, ready]
      end

      # Return the process that cuts a batch; nil if a record of the batch is not accepted.
      def at_work(batch)
        texts = texts_of(batch)
        return nil unless texts

        process = @idle.pop || WorkerProcess.new
        sent = false
        process.send_texts(recipe, texts)
        sent = true
        process
      ensure
        process&.end unless sent
      end

      def texts_of(batch)
        batch.map { |record| RecordValues.texts(record) }
      rescue InvalidInputError
        nil
      end

      def recipe
        @tokenizer.recipe if @tokenizer.is_a?(Tokenizer)
      end
    end
  end
end
