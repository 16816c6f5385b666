# frozen_string_literal: true

module HybridSearch
  module Cli
    module Commands
      # The command `hybrid-search locate`.
      module LocateCommand
        WHO = "#{Command::PROGRAM} locate".freeze
        WITHOUT_INDEX = 3
        private_constant :WHO, :WITHOUT_INDEX

        # Shows further information about each answer, in addition to its line.
        class Shown
          include Base::ShortInspect

          # @param flags [Hash{String=>Object}]
          # @param console [Console]
          # @param picture [ConvergenceReport, nil]
          def initialize(flags, console, picture)
            @explain = flags.key?("explain")
            @plain = Report.form(flags["format"], console) == Report::JSON
            @console = console
            @picture = picture
          end

          # Show one answer.
          #
          # @param instance [Instance]
          # @param located [ConvergentRetriever::Located, nil]
          # @return [void]
          def add(instance, located)
            identifier = instance.identifier
            return if located.nil? || identifier.nil?

            located.warnings.each { |warning| @console.complain(WHO, "#{identifier}: #{warning}") }
            @picture&.add(identifier, located)
            return unless @explain
            return @console.write_json(RoundTable.plain(identifier, located)) if @plain

            @console.write(RoundTable.lines(identifier, located).map { |text| "#{text}\n" }.join)
          end
        end

        # The totals over all lines of the output, including those of an earlier run.
        class Tally
          include Base::ShortInspect

          # @param gold [GoldFiles, nil]
          def initialize(gold)
            @gold = gold
            @lines = 0
            @empty = 0
          end

          # Count a line.
          #
          # @param line [Hash{String=>Object}]
          # @return [void]
          def add(line)
            files = line["found_files"] || []
            @lines += 1
            @empty += 1 if files.empty?
            @gold&.count(line["instance_id"], files)
          end

          # @param resumed [Integer]
          # @return [Hash{String=>Object}] the counts
          def counts(resumed)
            rate = @lines.zero? ? nil : @empty.to_f / @lines
            told = { "resumed" => resumed, "lines" => @lines, "empty" => @empty, "empty_rate" => rate }
            @gold ? told.merge(@gold.rates) : told
          end
        end

        module_function

        # Locate the answers to texts in repositories.
        #
        # @param line [CommandLine]
        # @param console [Console]
        # @return [Integer] the exit status
        def run(line, console)
          flags = line.flags
          options = options(flags)
          Convergence::Settings.new(options) # raises on unusable options before anything is written
          if flags.key?("enable-rerank") && !flags.key?("repos-root")
            raise UsageError, "--enable-rerank needs --repos-root"
          end

          indexes = BlockIndexes.new(flags["index-dir"])
          work = LocateRun.new(indexes, options, RerankFlags.model_of_blocks(flags), flags["repos-root"]) do |text|
            console.complain(WHO, text)
          end
          lines = RecordLines.new(line.arguments, console.stdin)
          tally = Tally.new(flags.key?("gold") ? GoldFiles.new(RecordLines.new([flags["gold"]], console.stdin)) : nil)
          resumed = all(lines, work, tally, flags, console)
          counts = work.counts.merge(tally.counts(resumed))
          counts["seconds"] = work.times.seconds unless flags.key?("no-times")
          Report.report(counts, flags["format"], console)
          counts["without_index"].zero? ? 0 : WITHOUT_INDEX
        end

        # Locate the remaining instances and return their number.
        def all(lines, work, tally, flags, console)
          how = flags["progress"] || (console.terminal_for_errors? ? ProgressChoice::BAR : ProgressChoice::NONE)
          LocatedLines.open(flags["output"], flags.key?("resume")) do |output|
            ConvergenceReport.open(flags["report"]) do |picture|
              shown = Shown.new(flags, console, picture)
              ProgressChoice.open(how, console, lines.size) do |progress|
                lines.to_enum.with_index do |each, place|
                  instance = Instance.of(each)
                  if place < output.kept.size
                    tally.add(kept(instance, output.kept[place], flags["output"], place + 1))
                  else
                    one(instance, work, tally, output, shown)
                    progress.stored(work.counts, lines.read)
                  end
                end
              end
            end
            output.kept.size
          end
        end
        private_class_method :all

        def one(instance, work, tally, output, shown)
          located, error = work.locate(instance)
          found = error ? { "error" => error } : located.to_h
          output.write(instance.identifier, found)
          shown.add(instance, located)
          tally.add({ "instance_id" => instance.identifier, **found })
        end
        private_class_method :one

        # Return the parameters of CNV-2 among the flags.
        def options(flags)
          named = Convergence::Settings::PARAMETERS.keys.to_h { |name| [name, name.tr("_", "-")] }
          named.select { |_, flag| flags.key?(flag) }.transform_values { |flag| flags[flag] }
        end
        private_class_method :options

        def kept(instance, line, path, number)
          return line if line["instance_id"] == instance.identifier

          raise InputError, "#{path}:#{number}: the line of another instance; omit --resume to start again"
        end
        private_class_method :kept
      end
    end
  end
end
