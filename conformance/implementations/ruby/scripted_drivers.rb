# frozen_string_literal: true

require "digest"
require_relative "scripted_mysql"
require_relative "scripted_postgres"

# Stand-ins for the gems pg and mysql2, whose servers are in a case (PG-3, PG-4, OB-3, OB-4); the form of a case is told
# in the reference's `scripted_script.py`.
module ScriptedDrivers
  VARIABLES = %w[PGHOST PGPORT PGCONNECT_TIMEOUT].freeze
  # The number of characters of a request of a recorded session that are noted.
  BEGINNING = 40

  # What the servers of a case do, and what they are asked.
  class Script
    attr_reader :parsed
    attr_accessor :clock

    def initialize(given, &value)
      @parsed = given.fetch("parsed", {})
      @clock = 0.0
      @rows = given.fetch("base", {}).merge(given.fetch("rows", {}))
      @first = given.fetch("first", {}).transform_values(&:dup)
      @errors = given.fetch("errors", {}).transform_values(&:dup)
      @connects = given.fetch("connects", []).dup
      @session = given["session"]&.to_h
      @place = -1
      @value = value
      @asked = []
    end

    def note(what)
      @asked << what
    end

    # The requests since the last call.
    def taken
      @asked.slice!(0..)
    end

    def connecting
      @connects.shift
    end

    def error(text)
      longest(text, @errors)&.shift
    end

    # The rows of a statement, called once for each.
    def rows(text)
      return (@session[@place += 1] || []).map { |row| row.map(&@value) } if @session

      found = longest(text, @first)&.shift || longest(text, @rows, used_up: true) || []
      found.map { |row| row.map(&@value) }
    end

    private

    def longest(text, told, used_up: false)
      fit = told.select do |start, list|
        (text.start_with?(start) || text.include?("; #{start}")) && (used_up || !list.empty?)
      end
      fit.max_by { |start, _| start.size }&.last
    end
  end

  # A clock that the script sets.
  class Clock
    CLOCK_MONOTONIC = 1
    class << self
      attr_accessor :script

      def clock_gettime(_kind)
        script.clock
      end
    end
  end

  # Loaders that load nothing.
  module Loaded
    module_function

    def load; end
    def types; end
    def plain; end

    def pipelines?
      true
    end
  end

  module_function

  # Put the stand-ins in the place of the gems for as long as the block lasts: a name of a module comes before a global.
  def placed(script, environment, &)
    [Postgres::Connection, MySql::Client, Clock].each { |one| one.script = script }
    stores = HybridSearch::Stores
    postgres = { PG: Postgres, PostgresLibrary: Loaded, PostgresWatch: Watch }
    in_place(stores::Postgres, postgres) do
      in_place(stores::OceanBase, { Mysql2: MySql, OceanBaseLibrary: Loaded, Process: Clock }) do
        in_environment(environment, &)
      end
    end
  end

  def in_place(owner, values)
    before = values.keys.to_h { |name| [name, owner.const_defined?(name, false) ? owner.const_get(name, false) : nil] }
    values.each { |name, value| replace(owner, name, value) }
    yield
  ensure
    before.each { |name, value| replace(owner, name, value) }
  end

  def replace(owner, name, value)
    owner.send(:remove_const, name) if owner.const_defined?(name, false)
    owner.const_set(name, value) if value
  end

  def in_environment(environment)
    before = VARIABLES.to_h { |name| [name, ENV.fetch(name, nil)] }
    ENV.update(before.transform_values { nil }.merge(environment))
    yield
  ensure
    ENV.update(before)
  end

  # The beginning of a request of a recorded session, and a digest of it with its values.
  def mark(asked)
    [flat(asked.is_a?(String) ? asked : asked[0])[0, BEGINNING], Digest::SHA256.hexdigest(flat(asked))[0, 16]]
  end

  # A request as one text that is the same in all languages.
  def flat(value)
    case value
    when ::Hash then "{#{value.map { |name, one| "#{name}:#{flat(one)}\n" }.join}}"
    when ::Array then "[#{value.map { |one| "#{flat(one)}\n" }.join}]"
    when nil then "null"
    else value.to_s
    end
  end

  # A value of a statement as plain data: an array in binary as a list.
  def written(value)
    return value unless value.is_a?(Hash)
    return value[:list] if value.key?(:list)

    value[:type] ? value[:value] : members(value[:value])
  end

  def members(array)
    dimensions, _, _, count, = array.unpack("l>l>L>l>l>")
    raise ArgumentError, "not an array" unless dimensions == 1

    at = 20
    Array.new(count) do
      size = array.unpack1("l>", offset: at)
      at += 4 + size
      array.byteslice(at - size, size)
    end
  end

  def raise_mysql(script, problem)
    return unless problem

    script.clock += problem.fetch("seconds", 0.0)
    raise MySql::Error.new(problem.fetch("message", "no message"), nil, problem["code"])
  end
end
