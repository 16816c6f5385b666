# frozen_string_literal: true

module HybridSearch
  module Records
    # A process that cuts texts into tokens (IDX-7), from the view of the process that starts it. It ends with the
    # process that started it, or at the end of its input.
    class WorkerProcess
      include Base::ShortInspect

      # The program that the process runs. It loads nothing of the program that starts it.
      PROGRAM = 'require "hybrid_search"; HybridSearch.const_get(:Records)::WorkerProgram.main'
      FOLDER = ::File.expand_path("../..", __dir__)
      private_constant :PROGRAM, :FOLDER

      # @raise [ConfigurationError] the process cannot be started
      def initialize
        # In its own process group it does not receive the SIGINT of a terminal, which is meant for the program.
        @pipe = ::IO.popen([::RbConfig.ruby, *just_in_time, "-I", FOLDER, "-e", PROGRAM], "r+b", pgroup: true)
        @recipe = nil
      rescue ::SystemCallError => e
        raise ConfigurationError, "a worker process could not start: #{e.class.new.message}"
      end

      # Send the texts of records, with the tokenizer's recipe if it is new.
      #
      # @param recipe [Hash{String=>Object}]
      # @param texts [Array<Hash{String=>Object}>]
      # @return [void]
      # @raise [ConfigurationError] the process has ended
      def send_texts(recipe, texts)
        message = [recipe == @recipe ? nil : recipe, texts]
        @recipe = recipe
        WorkerMessages.write(@pipe, message)
      rescue ::SystemCallError
        raise ended
      end

      # @return [Array<Hash>] the fields of the texts that were sent
      # @raise [ConfigurationError] the process has ended
      def receive
        WorkerMessages.read(@pipe) || raise(ended)
      rescue ::SystemCallError
        raise ended
      end

      # End the process at once.
      def end
        return if @pipe.closed?

        ::Process.kill("KILL", @pipe.pid)
        @pipe.close
      rescue ::SystemCallError # it has ended already
        @pipe.close
      end

      private

      def ended
        self.end
        status = ::Process.last_status
        how = status.signaled? ? "signal #{status.termsig}" : "exit status #{status.exitstatus}"
        ConfigurationError.new("a worker process ended before it had cut its texts: #{how}")
      end

      # Return the options that enable YJIT if it is enabled here; its code takes up to 8 MB, instead of 64 or more.
      def just_in_time
        on = defined?(::RubyVM::YJIT.enabled?) && ::RubyVM::YJIT.enabled?
        on ? %w[--yjit --yjit-exec-mem-size=8] : []
      end
    end
  end
end
