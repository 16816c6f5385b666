# frozen_string_literal: true

require "ripper"

module HybridSearch
  module Rails
    # Reads the source of a method or a lambda as its tokens, so that white space, comments and its place do not count.
    module CallableSource
      PASSED = %i[on_sp on_comment on_nl on_ignored_nl on_embdoc_beg on_embdoc on_embdoc_end].freeze
      # The index of the facts about a method in Ruby's instructions.
      FACTS = 4
      private_constant :PASSED, :FACTS

      module_function

      # @param callable [Method, UnboundMethod, Proc]
      # @return [String] the tokens with blanks between them; "" if the source cannot be read, as in a console
      def of(callable)
        source = slice(callable)
        source ? Ripper.lex(source).reject { |token| PASSED.include?(token[1]) }.map { |token| token[2] }.join(" ") : ""
      end

      def slice(callable)
        return unless defined?(::RubyVM::InstructionSequence)

        place = ::RubyVM::InstructionSequence.of(callable)&.to_a&.at(FACTS)&.dig(:code_location)
        path = callable.source_location&.first
        return if place.nil? || path.nil? || !::File.file?(path)

        cut(::File.readlines(path, encoding: "UTF-8"), *place)
      end
      private_class_method :slice

      # Return a part of the source. Columns are counted in bytes.
      def cut(lines, first_line, first_column, last_line, last_column)
        taken = lines[(first_line - 1)..(last_line - 1)].map(&:b)
        taken[-1] = taken[-1].byteslice(0, last_column)
        taken[0] = taken[0].byteslice(first_column..)
        taken.join.force_encoding("UTF-8")
      end
      private_class_method :cut
    end
  end
end
