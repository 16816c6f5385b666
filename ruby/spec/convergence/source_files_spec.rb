# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

# The twin of python_ref/tests/convergence/test_source_files.py.
RSpec.describe HybridSearch.const_get(:Convergence)::SourceFiles do
  # A folder of repositories with one, `repo`, that holds `a.py` and `sub/b.py`; and files next to it.
  around do |example|
    Dir.mktmpdir do |folder|
      @root = File.realpath(folder)
      %w[repo/sub repo2].each { |path| FileUtils.mkdir_p(at(path)) }
      { "repo/a.py" => "code\n", "repo/sub/b.py" => "more\n", "secret.txt" => "secret\n",
        "repo2/secret.txt" => "secret\n" }.each { |path, text| File.write(at(path), text) }
      example.run
    end
  end

  def at(path)
    File.join(@root, path)
  end

  def lines(path, repository = "repo", root = @root)
    described_class.new(root, repository).lines(path)
  end

  it "reads a file of the repository" do
    expect(lines("a.py")).to eq(["code"])
    expect(lines("sub/b.py")).to eq(["more"])
    expect(lines("b.py", "repo/sub")).to eq(["more"])
  end

  ["../secret.txt", "sub/../a.py", "..", "sub/..", ".", "", "sub", "../repo2/secret.txt"].each do |path|
    it "does not read #{path.inspect}, which leads out of the repository" do
      expect(lines(path)).to be_nil
    end
  end

  it "does not read absolute paths" do
    expect(lines(at("repo/a.py"))).to be_nil
    expect(lines("a.py", at("repo"))).to be_nil
  end

  ["..", ".", "", "repo/..", "none", "repo\0"].each do |repository|
    it "reads nothing of a repository #{repository.inspect}, which is not under the root" do
      expect(lines("a.py", repository)).to be_nil
    end
  end

  it "follows only links within the repository" do
    { "repo/inside.py" => "sub/b.py", "repo/file.py" => "../secret.txt", "repo/beside" => "../repo2",
      "repo/loop.py" => "loop.py", "repo/nowhere.py" => "none.py", "out" => File.dirname(@root) }
      .each { |path, target| File.symlink(target, at(path)) }
    expect(lines("inside.py")).to eq(["more"])
    expect(%w[file.py beside/secret.txt loop.py nowhere.py].filter_map { |path| lines(path) }).to eq([])
    expect(lines("#{File.basename(@root)}/repo/a.py", "out")).to be_nil
  end

  it "does not read devices and pipes" do
    expect(lines("zero", "dev", "/")).to be_nil
    File.mkfifo(at("repo/pipe.py"))
    expect(lines("pipe.py")).to be_nil
  end

  it "reads binary files and huge lines as text" do
    File.binwrite(at("repo/a.bin"), "\0\xff\x01\r\nx\x80".b)
    expect(lines("a.bin")).to eq(["\0\u{fffd}\x01", "x\u{fffd}"])
    File.write(at("repo/long.js"), "x" * 1_000_000)
    expect(lines("long.js")).to eq(["x" * 1_000_000])
  end

  it "does not read files above the limit" do
    stub_const("#{described_class}::MOST_BYTES", 4)
    File.write(at("repo/fits.py"), "x=1\n")
    File.write(at("repo/large.py"), "x=12\n")
    expect(lines("fits.py")).to eq(["x=1"])
    expect(lines("large.py")).to be_nil
  end

  # Runs a block each time before a file is opened.
  def before_opening
    allow(File).to receive(:open).and_wrap_original do |open, *arguments, &block|
      yield
      open.call(*arguments, &block)
    end
  end

  it "does not read a file that becomes a link between check and read" do
    before_opening do
      File.unlink(at("repo/a.py"))
      File.symlink(at("secret.txt"), at("repo/a.py"))
    end
    expect(lines("a.py")).to be_nil
  end

  it "does not read from a folder that becomes a link between check and read" do
    File.write(at("repo2/b.py"), "secret\n")
    before_opening do
      File.rename(at("repo/sub"), at("repo/was"))
      File.symlink(at("repo2"), at("repo/sub"))
    end
    expect(lines("sub/b.py")).to be_nil
  end

  it "does not read a file that is replaced by another" do
    allow(File).to receive(:open).and_wrap_original do |open, *arguments, &block|
      open.call(*arguments) do |file|
        File.binwrite(at("repo/new.py"), "new\n")
        File.rename(at("repo/new.py"), at("repo/a.py"))
        block.call(file)
      end
    end
    expect(lines("a.py")).to be_nil
  end

  it "reads a file that changes or disappears in its current state" do
    asked = []
    model = lambda do |_query, texts|
      asked << texts
      Array.new(texts.size, 0.5)
    end
    index = HybridSearch::BlockIndex.new([{ "file_path" => "a.py", "start_line" => 1, "end_line" => 1 }], [[1.0, 0.0]],
                                         repo_name: "repo")
    retriever = HybridSearch::ConvergentRetriever.new(index, rerank_model: model, repos_root: @root,
                                                             enable_rerank: true)
    statuses = ["a\nb\n", "a\nc\n", "a\n", nil].map do |content|
      content.nil? ? File.unlink(at("repo/a.py")) : File.write(at("repo/a.py"), content)
      retriever.locate("q", [1.0, 0.0]).rerank_status
    end
    expect(statuses).to eq(%w[applied applied skipped skipped])
    expect(asked).to eq(%w[b c].map { |line| ["File: a.py\nLines: 2-2\nCode:\n#{line}"] })
  end
end
