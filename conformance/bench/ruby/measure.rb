# frozen_string_literal: true

require "digest"
require "json"

module Bench
  # Time, memory, and the files of a run.
  module Measure
    module_function

    # @return [Array<Object>] the items of a file of JSON lines
    def lines(path)
      File.foreach(path, encoding: "UTF-8").map { |line| JSON.parse(line) }
    end

    # @return [Float] the clock, in seconds
    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end

    # @return [Array(Object, Hash{String=>Float})] what the block gives, and how long it took
    def timed
      wall = now
      cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
      value = yield
      cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu
      [value, { "cpu" => cpu, "wall" => now - wall }]
    end

    # @return [Array(Array<Object>, Hash{String=>Array<Float>})] what the block gives for each, and how long each took
    def each_timed(items)
      answers = items.map { |item| timed { yield item } }
      taken = answers.map(&:last)
      [answers.map(&:first), { "cpu" => taken.map { |one| one["cpu"] }, "wall" => taken.map { |one| one["wall"] } }]
    end

    # @return [String] one text for many
    def digest(texts)
      sum = Digest::SHA256.new
      texts.each { |text| sum << text << "\0" }
      sum.hexdigest
    end

    # @return [String] the 16 hex digits of a double
    def bits(value)
      [value].pack("G").unpack1("H*")
    end

    # @return [Integer] bytes of memory this process holds; 0 where the system does not say
    def resident
      kilobytes("VmRSS") * 1024
    end

    # @return [Integer] the most bytes of memory this process has held; 0 where the system does not say
    def peak
      kilobytes("VmHWM") * 1024
    end

    def kilobytes(name)
      return 0 unless File.exist?("/proc/self/status")

      File.read("/proc/self/status")[/^#{name}:\s*(\d+)/, 1].to_i
    end
  end
end
