"""Every program that the scripts, the suite and the tests start comes with Debian, or bin/setup knows it."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

SCRIPTS = ("bin/*", ".ci/*")
SHEBANG = re.compile(rb"#!.*\b(?:ba|da|z|k)?sh\b")
EVERYWHERE = {
    "apt-get", "awk", "basename", "bash", "cat", "chmod", "cmp", "cp", "cut", "date", "df", "dirname", "flock", "grep",
    "head", "id", "ls", "mkdir", "mktemp", "mv", "nproc", "paste", "rm", "sed", "sh", "sha256sum", "sleep", "tail",
    "tee", "test", "timeout", "tr", "umount", "useradd", "wc",
}  # fmt: skip
"""Programs of packages that are essential or required on Debian."""
WITH_RUBY = {"ruby", "rbs", "gem"}
STARTING = {"run", "Popen", "call", "check_call", "check_output", "which"}

SHELL_WORDS = {
    "case", "cd", "command", "continue", "do", "done", "echo", "elif", "else", "esac", "eval", "exec", "exit",
    "export", "fi", "for", "function", "if", "in", "jobs", "kill", "local", "mapfile", "printf", "read", "return",
    "set", "shift", "then", "times", "trap", "true", "type", "unset", "until", "wait", "while",
}  # fmt: skip
COMMAND = re.compile(
    r"(?:^|[;|&(){!]|\$\(|<\()\s*(?:(?:then|do|else|if|elif|while|until|exec|command|!)\s+)*"
    r"([a-z][a-z0-9_.+-]*)(?=[\s;)&|]|$)"
)
GATE = re.compile(r'^ *"[\w-]+ +(?:fast|short|whole|nightly) +([\w.-]+) ', re.MULTILINE)


def in_shell(text: str) -> set[str]:
    """Return the programs that a script starts: its words in the positions of commands, without its own functions."""
    gates = set(GATE.findall(text))
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"\$\(\(.*?\)\)", "0", text)
    text = re.sub(r"'[^'\n]*'", "''", text)
    text = re.sub(r'"(?:[^"$\n]|\$(?!\())*"', '""', text)
    lines = [re.sub(r"(?:^|\s)#.*", "", line) for line in text.split("\n")]
    functions = set(re.findall(r"^(\w+)\(\)", text, re.MULTILINE))
    return gates | {word for line in lines for word in COMMAND.findall(line)} - functions - SHELL_WORDS


def in_python(text: str) -> Iterator[str]:
    """Return the programs that a module starts: the first word of a literal command, or of a named list."""
    tree = ast.parse(text)
    named = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in STARTING:
            continue
        command = node.args[0]
        command = named.get(command.id, command) if isinstance(command, ast.Name) else command
        word = command.elts[0] if isinstance(command, ast.List) and command.elts else command
        started = isinstance(function.value, ast.Name) and function.value.id in ("subprocess", "shutil")
        if started and isinstance(word, ast.Constant) and isinstance(word.value, str):
            yield word.value


def in_ruby(text: str) -> set[str]:
    """Return the programs that a program starts by `sh` or Open3."""
    return set(re.findall(r'(?:\bsh|Open3\.\w+\()\s*"([\w.-]+)"', text))


def files(repository: Path, *patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [repository / name for name in listed if (repository / name).is_file()]


def known(repository: Path) -> set[str]:
    """The programs that bin/setup lists."""
    done = subprocess.run([str(repository / "bin/setup"), "--list"], capture_output=True, text=True, check=True)
    return {line.split()[1] for line in done.stdout.splitlines()}


def test_the_list_states_required_programs_and_what_fails_without_the_others(repository):
    done = subprocess.run([str(repository / "bin/setup"), "--list"], capture_output=True, text=True, check=True)
    rows = {line.split()[1]: line for line in done.stdout.splitlines()}
    assert rows["ruby"].startswith("needed ")
    assert "without it" not in rows["ruby"]
    for name in ("node", "chromium", "/usr/share/wordnet/data.noun"):
        assert rows[name].startswith("optional ")
        assert "; without it " in rows[name]


def test_scripts_start_only_programs_that_setup_knows(repository):
    found = {
        word: path.name for path in files(repository, *SCRIPTS) for word in in_shell(path.read_text(encoding="utf-8"))
    }
    assert {"awk", "flock", "rake", "ruby", "sed"} <= set(found)
    assert {
        word: path
        for word, path in found.items()
        if word not in EVERYWHERE | WITH_RUBY | known(repository) | {"python3"}
    } == {}


def test_the_suite_and_tests_start_only_programs_that_setup_knows(repository):
    found = {
        word: path.name for path in files(repository, "*.py") for word in in_python(path.read_text(encoding="utf-8"))
    }
    rubies = files(repository, "*.rb", "Rakefile", "*.rake", "*.gemspec")
    found |= {word: path.name for path in rubies for word in in_ruby(path.read_text(encoding="utf-8"))}
    assert {"ruby", "git", "chromium", "rubocop"} <= set(found)
    assert {word: path for word, path in found.items() if word not in EVERYWHERE | WITH_RUBY | known(repository)} == {}


def test_implementations_are_programs_that_setup_knows(repository):
    listed = yaml.safe_load((repository / "conformance/implementations.yml").read_text(encoding="utf-8"))
    programs = {entry["command"][0] for entry in listed.values()}
    assert programs - {"{python}"} == {"ruby", "node"}
    assert programs - {"{python}"} <= known(repository)


def test_shellcheck_checks_every_shell_script(repository):
    """The gate names folders; a script elsewhere would not be checked."""
    scripts = {path for path in files(repository) if SHEBANG.match(path.read_bytes()[:80])}
    assert scripts == set(files(repository, *SCRIPTS))


def test_the_check_finds_commands_in_shell_scripts():
    script = """
say() { printf '%s\\n' "rm in a text"; }  # cat in a comment
if ! flock 9; then tail x | sort $((x + 1)); fi
case "$1" in -h) sed -n 1p x ;; esac
say "$(hostname)" && awk '{ print }' <(id)
gates=(
  "rbs  fast  rake sig:validate"
)
"""
    assert in_shell(script) == {"flock", "tail", "sort", "sed", "hostname", "awk", "id", "rake"}
    module = (
        'import subprocess\nwords = ["node", "x"]\nsubprocess.run(words)\nsubprocess.Popen(["curl"])\nruns(["no"])\n'
    )
    assert set(in_python(module)) == {"node", "curl"}
