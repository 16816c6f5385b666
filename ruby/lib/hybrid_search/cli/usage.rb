# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    # A command line that is not acceptable: exit status 2.
    class UsageError < InvalidInputError; end

    # What a command line got wrong, in one line, for both programs alike (CUR-5).
    module Usage
      # The number of letters from which on the beginning of a name is known.
      SHORTEST = 3
      private_constant :SHORTEST

      module_function

      # @return [String] a text as messages show it
      def shown(text)
        JSON.generate(text.scrub("?"))
      end

      # @param what [String] a "flag" or a "command"
      # @param name [String] the name
      # @param known [Hash{String=>String}] the names that there are => what to write instead
      # @return [UsageError] the error for a name that there is not, with the nearest one that there is, or the one for
      #   a word of other tools
      def unknown(what, name, known)
        words = known.transform_keys { |each| word(each) }
        near = Base::Validation.nearest(word(name), words.keys)
        spelled = near ? nil : Base::Validation.nearest(name, known.keys) || begun(name, known)
        meant = near ? words[near] : spelled && known[spelled]
        hint = meant ? "; did you mean #{meant}?" : "; --help lists what there is"
        UsageError.new("unknown #{what} #{shown(name)}#{hint}")
      end

      # The first name that begins like one of three letters or more.
      def begun(name, known)
        known.each_key.find { |each| each.start_with?(name) } if word(name).length >= SHORTEST
      end
      private_class_method :begun

      # A flag as the name of an option.
      def word(name)
        name.sub(/\A-+/, "").tr("-", "_")
      end
      private_class_method :word

      # @param problem [SystemCallError]
      # @return [String] what the system refused
      def failed_to(what, problem)
        "cannot #{what}: #{SystemCallError.new(nil, problem.errno).message}"
      end
    end
  end
end
