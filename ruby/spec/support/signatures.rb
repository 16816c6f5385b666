# frozen_string_literal: true

require "yaml"

# Enforces the RBS signatures while the specs run: every call of a method that has a signature is checked, arguments
# and result. Must be loaded before the library: classes get their checks when their bodies end.
#
# A call that ends in an error of the library may have had arguments of other types than its signature names, because
# the error refuses them (ERR-2).
#
# `HYBRID_SEARCH_SIGNATURES=on` checks a sample of the calls, `every` checks each call, and `off` none (for specs tagged
# `unchecked:`, which are too slow with checks).
module Signatures
  # Lets methods refuse arguments with an error of the library.
  module RefusalsAllowed
    def call(receiver, trace)
      return if Thread.current[:wrong_on_purpose]

      outcome = trace.method_call
      super unless outcome.exception? && outcome.exception.is_a?(HybridSearch::Error)
    end
  end

  # In one group of examples, the first calls of a method are checked, and one in SHARE of the rest: a loop of a
  # thousand calls shows the types of its arguments in the first of them. `rake spec:nightly` checks every call.
  #
  # The other calls go directly to the method itself, by a line that is inserted into the checked method of RBS.
  module CallsSampled
    FIRST = 4
    SHARE = 64
    ARGUMENTS = /^  args = \[.*\]\n/

    @counts = []

    def self.forget
      @counts.fill(0)
    end

    # The number of one more method.
    def self.another
      @counts.push(0).size - 1
    end

    def self.checked?(number)
      count = (@counts[number] += 1)
      count <= FIRST || (count % SHARE).zero?
    end

    def hook_method_source(prefix, method_name, key, random:, params:)
      line, source = super
      unchecked = alias_names(method_name, random).last
      straight = "  return __send__(:\"#{unchecked}\", *args, &block__#{random}) " \
                 "unless ::Signatures::CallsSampled.checked?(#{CallsSampled.another})\n"
      [line, source.sub(ARGUMENTS) { |made| made + straight }]
    end
  end

  # The meaning of a type's name is looked up once, because the checks ask for it with each value.
  module NamesKept
    def expand_alias2(type_name, args)
      return super unless args.empty?

      @kept ||= {}
      @kept[type_name] ||= super
    end
  end

  FOLDER = File.expand_path("../../sig", __dir__)

  LIBRARIES = YAML.safe_load_file(File.join(FOLDER, "manifest.yaml")).fetch("dependencies").map { |item| item["name"] }

  def self.enforced?
    ENV["HYBRID_SEARCH_SIGNATURES"] != "off"
  end

  def self.every_call?
    ENV["HYBRID_SEARCH_SIGNATURES"] == "every"
  end

  # A block that deliberately passes values that signatures do not allow but the library accepts, such as those of
  # third-party stores and models.
  def self.wrong
    Thread.current[:wrong_on_purpose] = true
    yield
  ensure
    Thread.current[:wrong_on_purpose] = false
  end

  # The signatures of every module and class.
  #
  # @return [RBS::DefinitionBuilder]
  def self.definitions
    @definitions ||= begin
      loader = RBS::EnvironmentLoader.new
      LIBRARIES.each { |name| loader.add(library: name, version: nil) }
      loader.add(path: Pathname(FOLDER))
      RBS::DefinitionBuilder.new(env: RBS::Environment.from_loader(loader).resolve_type_names)
    end
  end

  def self.enforce
    raise "HybridSearch is loaded already: the specs must start with spec_helper" if defined?(HybridSearch::VERSION)

    ENV["RBS_TEST_TARGET"] ||= "HybridSearch,HybridSearch::*"
    ENV["RBS_TEST_OPT"] ||= [*LIBRARIES.map { |name| "-r #{name}" }, "-I #{FOLDER}"].join(" ")
    ENV["RBS_TEST_LOGLEVEL"] ||= "error"
    ENV["RBS_TEST_SAMPLE_SIZE"] ||= "5" # of a longer list, that many elements drawn at random
    ENV["RBS_TEST_DOUBLE_SUITE"] ||= "rspec"
    verbose = $VERBOSE
    $VERBOSE = nil
    require "rbs/test/setup"
    RBS::Test::Tester::MethodCallTester.prepend(RefusalsAllowed)
    RBS::Test::Hook.singleton_class.prepend(CallsSampled) unless every_call?
    RBS::DefinitionBuilder.prepend(NamesKept)
  ensure
    $VERBOSE = verbose
  end
end
