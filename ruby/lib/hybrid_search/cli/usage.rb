# frozen_string_literal: true

require "json"

module HybridSearch
  module Cli
    # A command line is not acceptable: exit status 2.
    class UsageError < InvalidInputError; end

    # Describes errors of a command line in one line, in the same words in both programs (CUR-5).
    module Usage
      # The minimum number of letters by which the beginning of a name is recognized.
      SHORTEST = 3
      private_constant :SHORTEST

      module_function

      # @return [String] a text as messages show it
      def shown(text)
        JSON.generate(text.scrub("?"))
      end

      # @param what [String] a "flag" or a "command"
      # @param name [String] the name
      # @param known [Hash{String=>String}] the known names => the text to suggest for each
      # @return [UsageError] the error for an unknown name, with the nearest known name, or the name for another tool's
      #   word
      def unknown(what, name, known)
        words = known.transform_keys { |each| word(each) }
        near = Base::Validation.nearest(word(name), words.keys)
        spelled = near ? nil : Base::Validation.nearest(name, known.keys) || begun(name, known)
        meant = near ? words[near] : spelled && known[spelled]
        hint = meant ? "; did you mean #{meant}?" : "; --help lists what there is"
        UsageError.new("unknown #{what} #{shown(name)}#{hint}")
      end

      # Return the first known name that begins with the given one, if that has at least three letters.
      def begun(name, known)
        known.each_key.find { |each| each.start_with?(name) } if word(name).length >= SHORTEST
      end
      private_class_method :begun

      # Return a flag as the name of an option.
      def word(name)
        name.sub(/\A-+/, "").tr("-", "_")
      end
      private_class_method :word

      # @param problem [SystemCallError]
      # @return [String] the description of a refusal by the system
      def failed_to(what, problem)
        "cannot #{what}: #{SystemCallError.new(nil, problem.errno).message}"
      end
    end
  end
end
