# frozen_string_literal: true

# The port as a child of the conformance harness (CNF-9): JSON Lines on stdin and stdout.

$LOAD_PATH.unshift(__dir__, File.expand_path("../../../ruby/lib", __dir__))

require "json"
require "conformance"
require "codec"
require "corpora"
require "own_types"
require "stores"

module Conformance
  # Answers the harness's messages.
  class Server
    PROTOCOL = 1
    NESTING = 200

    # @param input [IO]
    # @param output [IO]
    def initialize(input, output)
      @input = input
      @output = output
    end

    # Answer until `bye` or the end of input.
    #
    # @return [void]
    def run
      @input.each_line do |line|
        message = JSON.parse(line, max_nesting: NESTING)
        reply = reply_to(message)
        @output.write(JSON.generate(reply, max_nesting: NESTING), "\n")
        @output.flush
        break if message["type"] == "bye"
      end
    end

    private

    def reply_to(message)
      case message.fetch("type")
      when "hello" then hello
      when "bye" then { "type" => "bye" }
      else answer(message)
      end
    end

    def hello
      {
        "type" => "hello", "protocol" => PROTOCOL, "name" => "port", "language" => "ruby",
        "version" => HybridSearch::VERSION,
        "versions" => { "ruby" => RUBY_VERSION, "yjit" => (defined?(RubyVM::YJIT) && RubyVM::YJIT.enabled?).to_s },
        "capabilities" => Stores.operations || Conformance.modules
      }
    end

    def answer(message)
      seq = message.fetch("seq")
      operation = message.fetch("op")
      return { "seq" => seq, "unsupported" => operation } unless Stores.asked?(operation)

      outcome = execute(operation, message.fetch("params"), message.fetch("input"))
      outcome.delete("trace") unless message.fetch("want_trace")
      { "seq" => seq, **outcome }
    rescue UnknownOperationError
      { "seq" => seq, "unsupported" => message.fetch("op") }
    rescue StandardError, SystemStackError, ScriptError => e
      warn e.full_message(highlight: false, order: :bottom)
      { "seq" => seq, "error" => { "class" => "internal:#{e.class}", "message" => e.message.dup.scrub("?") } }
    end

    def execute(name, params, given)
      function = Conformance.find(name)
      trace = Trace.new
      outcome = begin
        { "value" => Codec.encode(function.call(Codec.decode(params), Codec.decode(given), trace)) }
      rescue HybridSearch::Error => e
        { "error" => { "class" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message } }
      end
      outcome["trace"] = trace.stages.map { |stage, value| { "stage" => stage, "value" => Codec.encode(value) } }
      outcome
    end
  end
end

if $PROGRAM_NAME == __FILE__
  output = $stdout.dup
  $stdin.set_encoding(Encoding::UTF_8)
  output.set_encoding(Encoding::UTF_8)
  $stdout = $stderr # whatever a library prints must not come between the answers
  Conformance::Server.new($stdin, output).run
end
