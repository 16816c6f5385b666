# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tmpdir"
require "rbs"

# Signatures exist for everything, and a wrong one is noticed.
RSpec.describe "RBS signatures" do
  library = File.join(WarningsAsErrors::ROOT, "ruby/lib")

  # Every module and class of the library, by walking its constants.
  def self.modules_of(container, seen = [])
    container.constants(false).reject { |name| container.autoload?(name) }.each do |name|
      value = container.const_get(name)
      next if !value.is_a?(Module) || seen.include?(value) || !value.name.to_s.start_with?("HybridSearch")

      seen << value
      modules_of(value, seen)
    end
    seen
  end

  definitions = nil
  before(:context) { definitions = Signatures.definitions }

  # Names of the methods written in the files of the library; those that the checker adds are omitted.
  def own_methods(container, singleton)
    target = singleton ? container.singleton_class : container
    names = target.instance_methods(false) + target.private_instance_methods(false)
    names.reject { |name| name.to_s.include?("RBS_TEST") || target.instance_method(name).source_location.nil? }
  end

  def declared(definition, name)
    method = definition.methods[name]
    method && !method.defs.empty?
  end

  # The files for Rails have their own spec.
  files = Dir[File.join(library, "hybrid_search/**/*.rb")].grep_v(%r{/(?:railtie|rails)\.rb\z|/rails/})
  files.each { |path| require path }

  ([HybridSearch] + modules_of(HybridSearch)).each do |container|
    it "exist for every method of #{container}" do
      type = RBS::TypeName.new(name: container.name.split("::").last.to_sym,
                               namespace: RBS::Namespace.parse("::#{container.name}").parent)
      expect(definitions.env.class_decls).to have_key(type), "no signature for #{container}"

      missing = [false, true].flat_map do |singleton|
        definition = singleton ? definitions.build_singleton(type) : definitions.build_instance(type)
        own_methods(container, singleton).reject { |name| declared(definition, name) }
                                         .map { |name| "#{singleton ? "." : "#"}#{name}" }
      end
      expect(missing).to eq([])
    end
  end

  def run_with(signature)
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "numeric.rbs"), signature)
      program = 'require "support/signatures"; Signatures.enforce; require "hybrid_search"; ' \
                "module HybridSearch; Base::Numeric.dot([1.0], [2.0]); end"
      environment = { "RBS_TEST_OPT" => "-I #{folder}", "HYBRID_SEARCH_SIGNATURES" => "on" }
      folders = ["-I", File.join(WarningsAsErrors::ROOT, "ruby/lib"), "-I", __dir__]
      Open3.capture2e(environment, RbConfig.ruby, *folders, "-e", program)
    end
  end

  def signature(result)
    "module HybridSearch\n  module Base\n    module Numeric\n" \
      "def self?.dot: (Array[Float], Array[Float]) -> #{result}\nend\nend\nend\n"
  end

  it "fail a run when they are wrong" do
    output, status = run_with(signature("String"))
    expect(status).not_to be_success
    expect(output).to include("ReturnTypeError")
  end

  it "let a run pass when they are right" do
    output, status = run_with(signature("Float"))
    expect([status.success?, output]).to eq([true, ""])
  end
end
