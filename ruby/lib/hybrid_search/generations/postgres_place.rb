# frozen_string_literal: true

require "json"

module HybridSearch
  class Generations
    # Generations in a PostgreSQL database: the schema of the collection has the pointer, the log of changes and the
    # checkpoint; each generation is a separate schema, a collection of {PostgresDocStore}.
    #
    # Locks belong to a transaction: they work behind a pooler too, and the server releases them if the connection ends.
    # A lock is held on a connection that is not used for anything else meanwhile.
    class PostgresPlace
      include Base::ShortInspect

      # The maximum length of a collection's name: PostgreSQL allows 63 bytes for a name, and a generation adds seven.
      LONGEST_NAME = 56
      TABLES = <<~SQL
        create schema if not exists %<schema>s;
        create table if not exists %<schema>s.pointer (
          one boolean primary key default true check (one), state text not null);
        create table if not exists %<schema>s.changes (
          place bigserial primary key, generation text not null, document text not null, records text not null);
        create table if not exists %<schema>s.checkpoints (generation text primary key, progress text not null);
      SQL
      OWN_TABLES = %w[changes checkpoints pointer].freeze
      private_constant :LONGEST_NAME, :TABLES, :OWN_TABLES

      # @param connection [String, ActiveRecord::ConnectionAdapters::ConnectionPool]
      # @param collection [String] the schema
      # @param timeout [Float] the maximum number of seconds for a statement, a connection or another writer
      # @param refresh [Float] the number of seconds for which {#seen} reuses the state that it has read
      # @param options [Hash{Symbol=>Object}] the options of each {PostgresDocStore}
      def initialize(connection, collection, timeout, refresh, options)
        @collection = Base::Validation.text("collection", collection)
        if collection.empty? || collection.include?("\0") || collection.bytesize > LONGEST_NAME
          raise Base::Validation.failure("collection", collection,
                                         "a name of 1 to #{LONGEST_NAME} bytes without U+0000")
        end

        @connection = connection
        @timeout = timeout
        @refresh = refresh
        @options = { timeout:, **options }
        @connections = PostgresSessions.new(connection, timeout, @collection, options.fetch(:connections, 4))
        @schema = Stores::Postgres::PostgresStatements.quoted(@collection)
        @seen = nil
        @is_made = options.fetch(:migrate, true) ? false : :never
      end

      # @return [String] its name in messages
      def to_s
        "the collection #{JSON.generate(@collection)}"
      end

      # @see FilePlace#shared?
      def shared?
        false
      end

      # @see FilePlace#seen
      def seen
        state, until_time = @seen
        return state if state && now < until_time

        self.state
      end

      # @see FilePlace#state
      def state
        make
        found = @connections.rows("select state from #{@schema}.pointer")[0]
        return nil if found.nil?

        read = State.read(found[0])
        raise DocStoreError, "#{self} has a pointer that this version cannot read" if read.nil?

        @seen = [read, now + @refresh].freeze
        read
      end

      # @see FilePlace#state=
      def state=(state)
        make
        @connections.rows("insert into #{@schema}.pointer (state) values ($1) on conflict (one) " \
                          "do update set state = excluded.state", state.text)
        @seen = [state, now + @refresh].freeze
      end

      # @see FilePlace#exclusively
      def exclusively(&)
        make
        Waiting.until_taken(self, @timeout) { @connections.holding("write #{@collection}", &) }.first
      end

      # @see FilePlace#building
      def building(&)
        make
        held = @connections.holding("build #{@collection}", &)
        raise Waiting.built(self) if held.nil?

        held.first
      end

      # @see FilePlace#create
      def create(name)
        remove(name)
        PostgresDocStore.open(@connection, **@options, collection: schema(name), &:count)
      end

      # @see FilePlace#open
      def open(name)
        PostgresDocStore.new(@connection, **@options, collection: schema(name), migrate: false)
      end

      # @see FilePlace#remove
      def remove(name)
        forget_changes(name)
        @connections.run("drop schema if exists #{Stores::Postgres::PostgresStatements.quoted(schema(name))} cascade")
      end

      # @see FilePlace#note
      def note(name, changes)
        documents, records = changes.map { |document, list| [document, JSON.generate(list)] }.transpose
        @connections.rows("insert into #{@schema}.changes (generation, document, records) select $1, * " \
                          "from unnest($2::text[], $3::text[])", name, documents, records)
      end

      # @see FilePlace#changes
      def changes(name, position, most)
        found = @connections.rows("select place, document, records from #{@schema}.changes where generation = $1 " \
                                  "and place > $2::bigint order by place limit $3::bigint", name, position, most)
        [found.map { |_, document, records| [document, JSON.parse(records)] }, found.empty? ? position : found.last[0]]
      end

      # @see FilePlace#forget_changes
      def forget_changes(name)
        @connections.rows("delete from #{@schema}.changes where generation = $1", name)
        @connections.rows("delete from #{@schema}.checkpoints where generation = $1", name)
      end

      # @see FilePlace#progress
      def progress
        name = state&.building
        found = name && @connections.rows("select progress from #{@schema}.checkpoints where generation = $1", name)[0]
        found ? JSON.parse(found[0]) : {}
      end

      # @see FilePlace#progress=
      def progress=(progress)
        @connections.rows("insert into #{@schema}.checkpoints (generation, progress) values ($1, $2) " \
                          "on conflict (generation) do update set progress = excluded.progress",
                          state.building, JSON.generate(progress))
      end

      # @see FilePlace#close
      def close
        @connections.close
      end

      private

      def schema(name)
        "#{@collection}_#{name}"
      end

      # Create the tables, once.
      def make
        return if @is_made

        others = @connections.rows("select table_name::text from information_schema.tables where table_schema = $1",
                                   @collection).flatten - OWN_TABLES
        raise DocStoreError, "#{self} cannot be made: the schema of this name holds other tables" unless others.empty?

        @connections.run(TABLES.gsub("%<schema>s") { @schema }, lock: "make #{@collection}")
        @is_made = true
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
