# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search serve`.
      module ServeCommand
        PROGRAM = Command::PROGRAM
        private_constant :PROGRAM

        module_function

        # Serve over HTTP until a signal stops the process.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          flags = line.flags
          tell = ->(address) { console.tell("#{flags["index"]} is served at #{address}\n") }
          processes = Server::WorkerProcesses.new(
            flags["workers"], method(:work), ->(problem) { console.complain("#{PROGRAM} serve", problem) }
          )
          server = serving(flags) do |found|
            found.run(&tell) if flags["workers"] == 1
            found
          end
          return 0 if flags["workers"] == 1

          # The file is closed here, and opened by each process.
          listener = server.listening
          processes.run([flags, listener], -> { tell.call(server.address(listener)) }, listener.method(:close))
          0
        end

        # Serve the connections of a listener in a process of its own.
        #
        # @param flags [Hash{String=>Object}]
        # @param listener [TCPServer]
        # @yield once connections are accepted
        # @return [void]
        def work(flags, listener, &)
          serving(flags) { |server| server.serve(listener, &) }
        end

        # Yield the server of a command line; its file is open within the block.
        def serving(flags)
          rerank = RerankFlags.options_of(flags)
          IndexFile.open(flags["index"], read_only: flags.key?("read-only")) do |file|
            index = file.index(max_results: flags["max-results"], ranking_cache: RankingCache.new, **rerank)
            yield Server::Serving.server(index, flags.slice(*Server::Serving::FLAGS))
          end
        end
        private_class_method :serving
      end
    end
  end
end
