"""Completion for shells, made from the table of commands (CUR-5)."""

from collections.abc import Sequence

from conformance.generators.tables import commands
from hybrid_search.cli.command import PROGRAM, Command, Flag, of_entry
from hybrid_search.cli.command_line import BOOLEAN
from hybrid_search.embedding.model_names import FAMILIES, NONE


def build() -> dict[str, str]:
    """Shell → its completion script."""
    made = [of_entry(name, entry) for name, entry in commands.build().items()]
    return {"bash": bash(made), "zsh": zsh(made)}


def bash(made: Sequence[Command]) -> str:
    """Return the script for bash."""
    lines = [
        f"# bash completion of {PROGRAM}",
        "_hybrid_search() {",
        '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '  local words="" files=""',
        '  if [[ "$COMP_CWORD" -eq 1 ]]; then',
        f'    words="{" ".join([*(command.name for command in made), "--help", "--version"])}"',
        "  else",
        '    case "${COMP_WORDS[1]} $previous" in',
    ]
    for command in made:
        for flag in command.flags:
            if flag.value is not None:
                names = [f'"{called} --{name}"' for called in _called(command) for name in (flag.name, *flag.also)]
                patterns = "|".join(names)
                lines.append(f"      {patterns}) {_value_in_bash(flag)} ;;")
    lines += ["      *)", '        case "${COMP_WORDS[1]}" in']
    for command in made:
        files = " files=yes" if _takes_files(command) else ""
        lines.append(f'          {"|".join(_called(command))}) words="{" ".join(_words(command))}"{files} ;;')
    lines += [
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
        f"complete -o filenames -F _hybrid_search {PROGRAM}",
    ]
    return "\n".join(lines) + "\n"


def zsh(made: Sequence[Command]) -> str:
    """Return the script for zsh."""
    lines = [
        f"#compdef {PROGRAM}",
        f"# zsh completion of {PROGRAM}",
        "_hybrid_search() {",
        "  local -a commands",
        "  commands=(",
        *(f"    {_quoted(f'{command.name}:{command.says}')}" for command in made),
        "  )",
        "  if (( CURRENT == 2 )); then",
        "    _describe -t commands command commands",
        "    _arguments '--help[show the help]' '--version[show the version]'",
        "    return",
        "  fi",
        "  local name=${words[2]}",
        "  shift words",
        "  (( CURRENT-- ))",
        "  case $name in",
    ]
    for command in made:
        lines += [f"    {'|'.join(_called(command))})", "      _arguments -s \\"]
        lines += [f"        {_quoted(spec)} \\" for flag in command.flags for spec in _specs(flag)]
        lines += [f"        {_quoted(_argument(command))}", "      ;;"]
    lines += ["  esac", "}", "compdef _hybrid_search hybrid-search"]
    return "\n".join(lines) + "\n"


def _called(command: Command) -> Sequence[str]:
    return (command.name, *command.also)


def _words(command: Command) -> Sequence[str]:
    flags = [f"--{name}" for flag in command.flags for name in _names(flag)]
    return [*flags, *(command.argument.choices if command.argument else ())]


def _names(flag: Flag) -> Sequence[str]:
    return [flag.name, f"no-{flag.name}"] if flag.kind == BOOLEAN else [flag.name]


def _takes_files(command: Command) -> bool:
    return command.argument is not None and command.argument.name == "FILE"


def _values(flag: Flag) -> Sequence[str]:
    """The values of a flag, or the families that the names of models begin with."""
    return (*FAMILIES, NONE) if flag.name == "embed" else flag.choices


def _value_in_bash(flag: Flag) -> str:
    if values := _values(flag):
        return f'words="{" ".join(values)}"'
    return "files=yes" if flag.value == "FILE" else ":"


def _specs(flag: Flag) -> Sequence[str]:
    """What `_arguments` of zsh is told of a flag."""
    says = flag.says
    for character in "[]:":
        says = says.replace(character, f"\\{character}")
    star = "*" if flag.repeated else ""
    if flag.value is None:
        return [f"{star}--{flag.name}[{says}]"]
    value = f"{flag.value.replace(':', ' ')}:{_action(flag.value, _values(flag))}"
    if flag.kind == BOOLEAN:
        return [f"--{flag.name}=-[{says}]::{value}", f"--no-{flag.name}[{says}]"]
    return [f"{star}--{flag.name}=[{says}]:{value}"]


def _argument(command: Command) -> str:
    argument = command.argument
    if argument is None:
        return "*:nothing: "
    star = "*" if argument.many else "1"
    return f"{star}:{argument.name}:{_action(argument.name, argument.choices)}"


def _action(value: str, choices: Sequence[str]) -> str:
    if choices:
        return f"({' '.join(choices)})"
    return "_files" if value == "FILE" else " "


def _quoted(text: str) -> str:
    inner = text.replace("'", "'\\''")
    return f"'{inner}'"
