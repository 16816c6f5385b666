# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search search`.
      module SearchCommand
        # The flags that replace the argument TEXT.
        WITHOUT_TEXT = %w[vector similar match-all].freeze
        EXCLUSIVE = [%w[page cursor], %w[stream format]].freeze
        private_constant :WITHOUT_TEXT, :EXCLUSIVE

        module_function

        # Find documents.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          check(line)
          options = options(line)
          most = Base::Validation.integer("--max-results", line.flags["max-results"], 1)
          rerank = RerankFlags.options_of(line.flags)
          IndexFile.open(line.flags["index"]) do |file|
            index = file.index(max_results: most, **rerank)
            GC.enable
            show(->(asked) { page(index, line, asked) }, line, options, most, console)
          end
          0
        end

        def show(search, line, options, most, console)
          if line.flags.key?("stream")
            PageStream.new(search, console).write(line.arguments.first || "", options, most)
          elsif Report.form(line.flags["format"], console) == Report::JSON
            page = search.call(options)
            console.write_json(page.to_h)
            PageTable.warn_of(page, console)
          else
            PageTable.show(search.call(options), options.key?(:cursor), console)
          end
        end
        private_class_method :show

        def page(index, line, options)
          return index.similar(line.flags["similar"], **options) if line.flags.key?("similar")

          index.search(line.arguments.first || "", **options)
        rescue DimensionMismatchError => e
          raise UsageError, e.message if options.key?(:vector)

          raise
        end
        private_class_method :page

        def options(line)
          options = line.options.transform_keys(&:to_sym)
          options[:filters] = FilterFlags.filters_of(line.flags) if FilterFlags.given?(line.flags)
          options[:page] = Base::Validation.integer("--page", options[:page], 1) if options.key?(:page)
          options
        end
        private_class_method :options

        # Refuse flags that contradict each other.
        def check(line)
          instead = WITHOUT_TEXT.select { |name| line.flags.key?(name) }
          if line.arguments.empty? && instead.empty?
            raise UsageError, "TEXT is missing: what is looked for? --match-all shows all documents"
          end
          if !line.arguments.empty? && line.flags.key?("similar")
            raise UsageError, "TEXT and --similar exclude each other"
          end

          refuse(instead) if instead.size > 1
          EXCLUSIVE.each { |pair| refuse(pair) if pair.all? { |name| line.flags.key?(name) } }
        end
        private_class_method :check

        def refuse(names)
          raise UsageError, "#{names.map { |name| "--#{name}" }.join(" and ")} exclude each other"
        end
        private_class_method :refuse
      end
    end
  end
end
