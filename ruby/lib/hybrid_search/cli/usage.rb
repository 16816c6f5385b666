# frozen_string_literal: true

require "json"

module HybridSearch
  module Commanding
    # A command line that is not acceptable: exit status 2.
    class UsageError < InvalidInputError; end

    # What a command line got wrong, in one line, for both programs alike (CUR-5).
    module Usage
      module_function

      # @return [String] a text as messages show it
      def shown(text)
        JSON.generate(text.scrub("?"))
      end

      # @param what [String] what a name is: "flag", "command"
      # @param known [Array<String>]
      # @return [UsageError] the error for a name that there is not, with the nearest one that there is
      def unknown(what, name, known)
        near = Validation.nearest(name, known)
        hint = near ? "; did you mean #{near}?" : "; --help lists what there is"
        UsageError.new("unknown #{what} #{shown(name)}#{hint}")
      end

      # @param problem [SystemCallError]
      # @return [String] what the system refused
      def failed_to(what, problem)
        "cannot #{what}: #{SystemCallError.new(nil, problem.errno).message}"
      end
    end
  end
end
