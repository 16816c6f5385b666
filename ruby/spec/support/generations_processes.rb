# frozen_string_literal: true

require "json"
require "open3"
require "rbconfig"
require "tmpdir"
require_relative "generations_process"

# Starts processes of an application for specs of generations, and reads what they print.
class GenerationsProcesses
  PROGRAM = File.expand_path("generations_process.rb", __dir__)
  LIBRARY = File.expand_path("../../lib", __dir__)

  # A process, and the lines that it has printed.
  Started = Struct.new(:pid, :lines, :errors, :reading) do
    def kill
      Process.kill(:KILL, pid)
      finish
    end

    # Its exit status, once it has ended.
    def finish
      status = Process.wait2(pid)[1]
      reading.each(&:join)
      status
    end

    def events(name)
      lines.filter_map { |line| JSON.parse(line)[name] if line.end_with?("}\n") }
    end
  end

  # @param settings [Hash] of all processes
  def initialize(settings)
    @settings = settings
    @started = []
  end

  def start(role, **settings)
    out, out_writer = IO.pipe
    error, error_writer = IO.pipe
    pid = Process.spawn({ "RUBYOPT" => nil }, RbConfig.ruby, "-I", LIBRARY, PROGRAM, role,
                        JSON.generate(@settings.merge(settings)), out: out_writer, err: error_writer)
    [out_writer, error_writer].each(&:close)
    lines = []
    errors = []
    reading = [[out, lines], [error, errors]].map { |io, list| Thread.new { io.each_line { |line| list << line } } }
    Started.new(pid, lines, errors, reading).tap { |started| @started << started }
  end

  # Kill the processes that still run.
  def close
    @started.each do |started|
      started.kill
    rescue SystemCallError
      nil
    end
  end

  # Build until a generation is promoted, and kill the builder that many times before.
  def build_with_kills(kills, **settings)
    random = Random.new(5)
    kills.times do |number|
      builder = start("build", **settings, pause: 0.02)
      wanted = 1 + random.rand(4)
      wait_for { builder.events("copied").size >= wanted || builder.events("promoted").any? }
      sleep(random.rand * 0.02)
      raise "the builder was faster than kill #{number}" unless builder.kill.signaled?
    end
    builder = start("build", **settings)
    [builder.finish, builder]
  end

  def wait_for(seconds = 30)
    deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
    until yield
      raise "nothing came of it in #{seconds} seconds" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > deadline

      sleep(0.005)
    end
  end
end
