# frozen_string_literal: true

require "securerandom"
require "socket"
require "uri"

# Collections in PostgreSQL for specs, removed at the end, and a proxy that can cut connections to them.
class PostgresStores
  # Acknowledged data need not be on disk yet: no spec cuts the server's power, and each waits for less.
  UNHURRIED = "options=-c%20synchronous_commit%3Doff"

  # @param url [String] of the database
  def initialize(url)
    address = URI(url)
    address.query = [address.query, UNHURRIED].compact.join("&")
    @url = address.to_s
    @names = []
    @stores = []
  end

  # A store; an empty one unless a collection is named.
  def make(collection: name, url: @url, **options)
    store = HybridSearch::PostgresDocStore.new(url, collection:, **options)
    @stores << store
    store
  end

  # Another store of the same collection.
  def beside(store, **options)
    make(collection: store.collection, **options)
  end

  # A unique name with every character that must be quoted.
  def name(part = '"%s" \\')
    @names << "spec #{part} #{SecureRandom.hex(16)}"
    @names.last
  end

  # End all connections of a name, as a stopping server does; returns their number.
  def cut(application)
    statement = "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = $1"
    connected { |connection| connection.exec_params(statement, [application]).ntuples }
  end

  # The version of pgvector: two numbers.
  def extension
    statement = "select extversion from pg_extension where extname = 'vector'"
    connected { |connection| connection.exec(statement).getvalue(0, 0).split(".").take(2).map(&:to_i) }
  end

  # Have the server refuse every batch with a document of an id.
  def refuse(store, identifier)
    connected do |connection|
      schema = connection.quote_ident(store.collection)
      connection.exec(<<~SQL)
        create function #{schema}.refuse() returns trigger language plpgsql
        as $$ begin raise exception 'this id is refused'; end $$;
        create trigger refusing before insert on #{schema}.documents for each row
        when (new.key = convert_to('#{identifier}', 'UTF8')) execute function #{schema}.refuse()
      SQL
    end
  end

  # The number of rows of a table of a store.
  def rows_of(store, table)
    connected do |connection|
      connection.exec("select count(*) from #{connection.quote_ident(store.collection)}.#{table}").getvalue(0, 0).to_i
    end
  end

  # Close all stores and remove their collections.
  def close
    @stores.each(&:close)
    connected do |connection|
      connection.set_notice_processor { nil }
      @names.each { |name| connection.exec("drop schema if exists #{connection.quote_ident(name)} cascade") }
    end
  end

  # @yieldparam connection [PG::Connection]
  def connected
    connection = PG.connect(@url)
    yield connection
  ensure
    connection&.close
  end

  # Forwards connections to the server, until a spec makes it lose responses.
  class Between
    # @return [String] where it listens
    attr_reader :url
    # @return [String] the name that the server shows for these connections
    attr_reader :application

    # @return [Integer] the number of requests after a response, if one connection is used
    attr_accessor :round_trips

    # @param url [String] of the server
    def initialize(url)
      @round_trips = 0
      server = URI(url)
      @server = [server.host, server.port]
      @listening = TCPServer.new("127.0.0.1", 0)
      server.port = @listening.addr[1]
      @application = SecureRandom.hex(16)
      server.query = "sslmode=disable&application_name=#{@application}&#{UNHURRIED}"
      @url = server.to_s
      @sockets = []
      @lost = @silent_from = nil
      @is_silent = @is_asked = false
      Thread.new { accept }.report_on_exception = false
    end

    # From now on, cut connections once a statement was sent, before its response; nil: stop cutting.
    def lose_answers_to(statement)
      @lost = statement
    end

    # Stop forwarding once a statement is sent; nil: work again, for new connections.
    def fall_silent_from(statement)
      @silent_from = statement
      return unless @is_silent

      @sockets.each { |socket| socket.shutdown unless socket.closed? }
      @is_silent = false
    end

    # Cut all connections, and accept no more.
    def close
      [@listening, *@sockets].each(&:close)
    end

    private

    def accept
      loop do
        near = @listening.accept
        far = TCPSocket.new(*@server)
        @sockets.push(near, far)
        [[near, far, true], [far, near, false]].each do |pair|
          Thread.new { forward(*pair) }.report_on_exception = false
        end
      end
    end

    def forward(source, target, to_server)
      while (sent = source.readpartial(65_536))
        @is_silent ||= to_server && !@silent_from.nil? && sent.include?(@silent_from)
        return if @is_silent # and the connection stays open

        @round_trips += 1 if to_server && !@is_asked
        @is_asked = to_server
        source.shutdown if to_server && @lost && sent.include?(@lost) # the response cannot be forwarded
        target.write(sent)
      end
    rescue IOError, SystemCallError
      [source, target].each { |socket| socket.close_write unless socket.closed? }
    end
  end
end
