# frozen_string_literal: true

module HybridSearch
  module Records
    # A process that cuts texts into tokens (IDX-7), from the view of the process itself.
    module WorkerProgram
      module_function

      # Respond to each list of texts with the list of their fields, until the input ends.
      #
      # All other output goes to standard error: standard output contains only the responses.
      #
      # @return [void]
      def main
        answers = $stdout.dup.binmode
        $stdout.reopen($stderr)
        $stdin.binmode
        fields = nil
        while (message = WorkerMessages.read($stdin))
          recipe, records = message
          fields = RecordFields.new(Tokenizer.of_recipe(recipe)) if recipe
          WorkerMessages.write(answers, records.map { |record| fields.of_texts(record) })
        end
      rescue ::Errno::EPIPE # the process that started this one has ended
        exit!(1)
      end
    end
  end
end
