# frozen_string_literal: true

# A warning about a file of the project cannot stay unnoticed.
RSpec.describe WarningsAsErrors do
  def compile(path)
    RubyVM::InstructionSequence.compile("def unused\n  x = 1\nend\n", path, path)
  end

  it "raises for a file of the project, past any rescue of a StandardError" do
    expect do
      compile(File.join(described_class::ROOT, "ruby/lib/hybrid_search/there.rb"))
    rescue StandardError
      nil
    end.to raise_error(described_class::Raised, /assigned but unused variable/)
  end

  it "ignores files of other projects" do
    expect { compile("/elsewhere/there.rb") }.to output(/assigned but unused variable/).to_stderr
  end
end
