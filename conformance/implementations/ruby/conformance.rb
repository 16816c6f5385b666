# frozen_string_literal: true

# The port's side of the conformance suite: operations by name, and the trace of what they did.
#
# `fusion.rrf` is in `operations/fusion.rb`, which is loaded when its first operation is asked for:
#
#   Conformance.operation("fusion.rrf") { |params, given, trace| ... }
module Conformance
  # The stages of CNF-6, in the order a search goes through them.
  STAGES = [
    "read", "normalise", "route", "tokenise", "look up", "weigh", "query tree", "query text", "text leg rank",
    "dense leg rank", "normalise scores", "fuse", "term similarity", "vector similarity", "rank feature", "rerank",
    "threshold", "page", "write"
  ].freeze

  OPERATIONS_FOLDER = File.join(__dir__, "operations")

  # What an operation did on its way, stage by stage; a stage may come more than once.
  class Trace
    # @return [Array<Array(String, Object)>]
    attr_reader :stages

    def initialize
      @stages = []
    end

    # @param name [String] one of {STAGES}
    # @param value [Object] plain data: numbers, texts, lists, objects, nil
    # @return [void]
    def stage(name, value)
      raise ArgumentError, "unknown stage #{name.inspect}; known: #{STAGES.join(", ")}" unless STAGES.include?(name)

      @stages << [name, value]
      nil
    end
  end

  # No operation has this name.
  class UnknownOperationError < StandardError; end

  @operations = {}

  class << self
    # Register a block as the operation `name`.
    #
    # @param name [String] `module.operation`; the module is the name of the file in `operations/`
    # @yieldparam params [Hash{String=>Object}]
    # @yieldparam given [Object] the case's input
    # @yieldparam trace [Trace]
    # @return [void]
    def operation(name, &block)
      raise ArgumentError, "operation #{name} is registered twice" if @operations.key?(name)

      @operations[name] = block
      nil
    end

    # @return [Array<String>] the names of the files in `operations/`, sorted
    def modules
      Dir.children(OPERATIONS_FOLDER).filter_map { |file| file.delete_suffix(".rb") if file.end_with?(".rb") }.sort
    end

    # @return [Proc] the operation of this name
    def find(name)
      unless @operations.key?(name)
        file = name.partition(".").first
        raise UnknownOperationError, "no operations/#{file}.rb for #{name}" unless modules.include?(file)

        require File.join(OPERATIONS_FOLDER, file)
      end
      @operations.fetch(name) { raise UnknownOperationError, "operations has no operation #{name}" }
    end
  end
end
