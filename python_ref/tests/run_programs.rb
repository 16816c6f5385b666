# frozen_string_literal: true

# Runs programs, each in a fork of an interpreter that has the library loaded; the twin of run_programs.py.

require "hybrid_search"
require "json"
require "tempfile"

# Runs one program in this process.
def run(program)
  code, name = program.values_at("code", "name")
  return RubyVM::InstructionSequence.compile(code, name) if program["check"]

  eval(code, TOPLEVEL_BINDING, name, 1) # rubocop:disable Security/Eval -- the project's own documents
end

# Runs one program in a child; gives the child's exit status.
def forked(program, stdout, stderr)
  child = fork do
    $stdout.reopen(stdout)
    $stderr.reopen(stderr)
    run(program)
  end
  Process.wait2(child).last.exitstatus
end

HybridSearch::Index.new.add([{ id: "1", content: "加载 the tables" }])
answers = JSON.parse($stdin.read).map do |program|
  Tempfile.create do |stdout|
    Tempfile.create do |stderr|
      status = forked(program, stdout, stderr)
      { status:, stdout: File.read(stdout.path, encoding: "UTF-8"), stderr: File.read(stderr.path, encoding: "UTF-8") }
    end
  end
end
puts JSON.generate(answers)
