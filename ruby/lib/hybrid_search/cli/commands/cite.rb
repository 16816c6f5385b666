# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search cite`.
      module CiteCommand
        JSON = "json"
        OPTIONS = %w[mark vector_similarity_weight].freeze
        private_constant :JSON, :OPTIONS

        module_function

        # Mark the sources of an answer.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          given = %w[hits question].select { |name| line.flags.key?(name) }
          raise UsageError, "--hits or --question is missing" if given.empty?
          raise UsageError, "--hits and --question exclude each other" if given.size > 1

          limit = Base::Validation.integer("--limit", line.flags["limit"], 1, Search::CitationSources::MOST)
          answer = answer(line.arguments.first || RecordLines::STANDARD_INPUT, console)
          names = OPTIONS.select { |name| line.flags.key?(name.tr("_", "-")) }
          options = names.to_h { |name| [name.to_sym, line.flags[name.tr("_", "-")]] }
          cited = IndexFile.open(line.flags["index"]) do |file|
            index = file.index
            index.cite(answer, hits(index, line, limit), **options)
          end
          write(cited, line, console)
          0
        end

        def write(cited, line, console)
          return console.write_json(cited.to_h) if line.flags["format"] == JSON

          console.write(cited.text.end_with?("\n") ? cited.text : "#{cited.text}\n")
        end
        private_class_method :write

        def hits(index, line, limit)
          line.flags.fetch("hits") { index.search(line.flags["question"], limit:) }
        end
        private_class_method :hits

        # Return the text of a file, or of standard input.
        def answer(path, console)
          return Readers::FileBytes.read_text(path) unless path == RecordLines::STANDARD_INPUT

          largest = Readers::FileBytes::LARGEST_FILE
          data = (console.stdin.read(largest + 1) || "").b
          raise InvalidInputError, "has more than #{largest} bytes" if data.bytesize > largest

          Readers::FileBytes.text_of(data.delete_prefix(Readers::FileBytes::MARK))
        rescue InvalidInputError => e
          raise InputError, "#{Usage.shown(path)} #{e.message}"
        end
        private_class_method :answer
      end
    end
  end
end
