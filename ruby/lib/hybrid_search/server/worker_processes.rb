# frozen_string_literal: true

module HybridSearch
  module Server
    # Processes that serve one address (CUR-6): they do the same work until a signal stops all of them; a process that
    # ends before that is replaced.
    class WorkerProcesses
      include Base::ShortInspect

      # The maximum number of processes.
      MOST = 256
      # The minimum number of seconds from the start of a process to the start of its replacement.
      PAUSE_SECONDS = 1.0
      READY = "ready"
      # The number of seconds between two checks of processes that were asked to end.
      LOOK_SECONDS = 0.02
      private_constant :READY, :LOOK_SECONDS

      # @param count [Integer] the number of processes, 1 to {MOST}
      # @param work [#call] called in each process with a block that it calls when it is ready; it returns after SIGTERM
      # @param report [#call] called with a message for each process that ends before the signal
      # @raise [InvalidInputError] the count is not acceptable
      # @raise [ConfigurationError] this system cannot run several
      def initialize(count, work, report)
        @count = Base::Validation.integer("workers", count, 1, MOST)
        if @count > 1 && !::Process.respond_to?(:fork)
          raise ConfigurationError, "workers must be 1 on this system, not #{count}: it has no fork"
        end

        @work = work
        @report = report
        @workers = []
      end

      # Start the processes, and wait for SIGINT or SIGTERM; then wait until all have ended.
      #
      # @param arguments [Array<Object>] the arguments of the work
      # @param ready [#call] called once all processes are ready
      # @param stopping [#call] called when no more processes are started
      # @return [void]
      # @raise [ConfigurationError] a process ended before it was ready
      def run(arguments, ready, stopping)
        @woken, wake = ::IO.pipe
        # Workers see the end of this pipe when their parent has ended.
        @alive, @life = ::IO.pipe
        before = listen_to_signals(wake)
        serve(arguments, ready)
      ensure
        stopping.call
        cut_off = finish
        before&.each { |name, handler| trap(name, handler || "DEFAULT") }
        [@woken, wake, @alive, @life].each { |one| one&.close }
        exit!(HttpServer::CUT_OFF) if cut_off
      end

      private

      # Install the handlers. A process that has just been forked has them too, and ends: its server does not run yet.
      def listen_to_signals(wake)
        parent = ::Process.pid
        HttpServer::SIGNALS.to_h do |name|
          [name, trap(name) { ::Process.pid == parent ? wake.write_nonblock(".", exception: false) : exit!(0) }]
        end
      end

      def serve(arguments, ready)
        @count.times { @workers << started(arguments) }
        return unless all_ready?

        ready.call
        replace(arguments) until woken?(@workers.map(&:state))
      end

      # Wait until all processes are ready; return false after a signal.
      def all_ready?
        @workers.all? do |one|
          return false if woken?([one.state])

          state = one.told
          raise ConfigurationError, "a worker process could not start: #{state}" unless state == READY

          true
        end
      end

      # Wait for a signal, or for one of the pipes that end with their process; return whether there was a signal.
      def woken?(pipes, seconds = nil)
        found, = ::IO.select([@woken, *pipes], nil, nil, seconds)
        !found.nil? && found.include?(@woken)
      end

      # Replace the processes that have ended.
      def replace(arguments)
        @workers.map! do |one|
          next one unless one.skip.ended?

          @report.call("worker process #{one.pid} ended (#{one.ending}); another one takes its place")
          pause = one.begun + PAUSE_SECONDS - ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
          woken?([], [0.0, pause].max) ? one : started(arguments)
        end
      end

      # End all processes; return whether one was cut off while it still computed.
      def finish
        limit = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) + HttpServer::DRAIN_SECONDS
        @workers.each { |one| one.signal("TERM") }
        sleep(LOOK_SECONDS) until @workers.all?(&:ended?) || ::Process.clock_gettime(::Process::CLOCK_MONOTONIC) > limit
        late = @workers.reject(&:ended?)
        late.each { |one| one.signal("KILL") && one.wait }
        late.any? || @workers.any? { |one| one.status == HttpServer::CUT_OFF }
      end

      def started(arguments)
        state, told = ::IO.pipe
        pid = ::Process.fork do
          state.close
          @life.close
          work(arguments, told)
        end
        told.close
        Worker.new(pid, state)
      end

      # Do the work of one process, and end it.
      def work(arguments, told)
        Thread.new do
          @alive.read
          ::Process.kill("TERM", ::Process.pid)
        end
        @work.call(*arguments) { told.write(READY, "\n") }
        exit!(0)
      rescue Error => e
        told.write(e.message.gsub("\n", " "), "\n")
        exit!(HttpServer::CUT_OFF)
      rescue StandardError => e
        told.write(Base::Validation.foreign_error(e), "\n")
        exit!(HttpServer::CUT_OFF)
      end

      # One worker process.
      class Worker
        include Base::ShortInspect

        # @return [Integer] its id
        attr_reader :pid
        # @return [IO] a pipe with its state, which ends with the process
        attr_reader :state
        # @return [Float] the time of its start
        attr_reader :begun

        # @param pid [Integer]
        # @param state [IO]
        def initialize(pid, state)
          @pid = pid
          @state = state
          @begun = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
          @ended = nil
        end

        # @return [String] `READY`, or the reason why it is not; waits for the process
        def told
          line = @state.gets
          return line.chomp if line

          wait
          ending
        end

        # Discard the output that it has written.
        #
        # @return [self]
        def skip
          @state.read_nonblock(1024, exception: false)
          self
        end

        # @return [Boolean] whether it has ended
        def ended?
          @ended ||= ::Process.wait2(@pid, ::Process::WNOHANG)&.last
          !@ended.nil?
        end

        # Wait until it has ended.
        #
        # @return [void]
        def wait
          @ended = ::Process.wait2(@pid).last unless ended?
        end

        # @return [Integer, nil] its exit status; nil after a signal
        def status
          @ended&.exitstatus
        end

        # @return [String] a description of its end
        def ending
          @ended.signaled? ? "signal #{@ended.termsig}" : "status #{@ended.exitstatus}"
        end

        # Send it a signal, unless it has ended.
        #
        # @param name [String]
        # @return [Integer, nil]
        def signal(name)
          ::Process.kill(name, @pid) unless ended?
        end
      end
      private_constant :Worker
    end
  end
end
