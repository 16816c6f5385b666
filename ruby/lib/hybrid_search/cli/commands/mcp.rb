# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search mcp`, which only the Python program can run: it uses the protocol's SDK for Python.
      module McpCommand
        module_function

        # Refuse to serve.
        #
        # @param _line [CommandLine]
        # @param _console [Console]
        # @return [Integer] the exit status
        # @raise [ConfigurationError]
        def run(_line, _console)
          raise ConfigurationError, "only the Python program can serve this protocol: pip install 'hybrid-search[mcp]'"
        end
      end
    end
  end
end
