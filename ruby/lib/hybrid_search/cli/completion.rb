# frozen_string_literal: true

module HybridSearch
  module Cli
    # Completion for shells, made from the table of commands (CUR-5).
    module Completion
      module_function

      # @return [String] what bash reads
      def bash
        lines = [
          "# bash completion of #{Command::PROGRAM}",
          "_hybrid_search() {",
          '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
          '  local words="" files=""',
          '  if [[ "$COMP_CWORD" -eq 1 ]]; then',
          "    words=\"#{[*Command.commands.keys, "--help", "--version"].join(" ")}\"",
          "  else",
          '    case "${COMP_WORDS[1]} $previous" in'
        ]
        Command.commands.each_value do |command|
          command.flags.select(&:value).each do |flag|
            names = called(command).product([flag.name, *flag.also])
            patterns = names.map { |called, name| "\"#{called} --#{name}\"" }.join("|")
            lines << "      #{patterns}) #{value_in_bash(flag)} ;;"
          end
        end
        lines << "      *)" << '        case "${COMP_WORDS[1]}" in'
        Command.commands.each_value do |command|
          files = takes_files?(command) ? " files=yes" : ""
          lines << "          #{called(command).join("|")}) words=\"#{words(command).join(" ")}\"#{files} ;;"
        end
        lines.push(
          "        esac",
          "        ;;",
          "    esac",
          "  fi",
          "  COMPREPLY=()",
          '  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")',
          '  if [[ -n "$files" && "$current" != -* ]]; then',
          '    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")',
          "  fi",
          "}",
          "complete -o filenames -F _hybrid_search #{Command::PROGRAM}"
        )
        "#{lines.join("\n")}\n"
      end

      # @return [String] what zsh reads
      def zsh
        lines = [
          "#compdef #{Command::PROGRAM}",
          "# zsh completion of #{Command::PROGRAM}",
          "_hybrid_search() {",
          "  local -a commands",
          "  commands=(",
          *Command.commands.each_value.map { |command| "    #{quoted("#{command.name}:#{command.says}")}" },
          "  )",
          "  if (( CURRENT == 2 )); then",
          "    _describe -t commands command commands",
          "    _arguments '--help[show the help]' '--version[show the version]'",
          "    return",
          "  fi",
          "  local name=${words[2]}",
          "  shift words",
          "  (( CURRENT-- ))",
          "  case $name in"
        ]
        Command.commands.each_value do |command|
          lines << "    #{called(command).join("|")})" << "      _arguments -s \\"
          lines.concat(command.flags.flat_map { |flag| specs(flag) }.map { |spec| "        #{quoted(spec)} \\" })
          lines << "        #{quoted(argument(command))}" << "      ;;"
        end
        "#{[*lines, "  esac", "}", "compdef _hybrid_search hybrid-search"].join("\n")}\n"
      end

      def called(command)
        [command.name, *command.also]
      end
      private_class_method :called

      def words(command)
        [*command.flags.flat_map { |flag| names(flag) }.map { |name| "--#{name}" }, *command.argument&.choices]
      end
      private_class_method :words

      def names(flag)
        flag.kind == CommandLine::BOOLEAN ? [flag.name, "no-#{flag.name}"] : [flag.name]
      end
      private_class_method :names

      def takes_files?(command)
        command.argument&.name == "FILE"
      end
      private_class_method :takes_files?

      def value_in_bash(flag)
        return "words=\"#{flag.choices.join(" ")}\"" unless flag.choices.empty?

        flag.value == "FILE" ? "files=yes" : ":"
      end
      private_class_method :value_in_bash

      # What `_arguments` of zsh is told of a flag.
      def specs(flag)
        says = flag.says.gsub(/[\[\]:]/) { |character| "\\#{character}" }
        star = flag.repeated ? "*" : ""
        return ["#{star}--#{flag.name}[#{says}]"] unless flag.value

        value = "#{flag.value.tr(":", " ")}:#{action(flag.value, flag.choices)}"
        return ["#{star}--#{flag.name}=[#{says}]:#{value}"] unless flag.kind == CommandLine::BOOLEAN

        ["--#{flag.name}=-[#{says}]::#{value}", "--no-#{flag.name}[#{says}]"]
      end
      private_class_method :specs

      def argument(command)
        argument = command.argument
        return "*:nothing: " unless argument

        "#{argument.many ? "*" : "1"}:#{argument.name}:#{action(argument.name, argument.choices)}"
      end
      private_class_method :argument

      def action(value, choices)
        return "(#{choices.join(" ")})" unless choices.empty?

        value == "FILE" ? "_files" : " "
      end
      private_class_method :action

      def quoted(text)
        "'#{text.gsub("'") { "'\\''" }}'"
      end
      private_class_method :quoted
    end
  end
end
