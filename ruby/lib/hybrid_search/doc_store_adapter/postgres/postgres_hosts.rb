# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The servers that a text names, and how long each may take to answer (PG-3).
      class PostgresHosts
        include Base::ShortInspect

        # The shortest time that libpq tries a server, in seconds.
        LEAST_TO_CONNECT = 2
        private_constant :LEAST_TO_CONNECT

        # @return [Float] the number of seconds that all servers together may take
        attr_reader :seconds

        # @param text [String] the connection string of libpq
        # @param timeout [Float] the number of seconds that a connection may take
        # @raise [PG::Error] libpq does not accept the text
        def initialize(text, timeout)
          @options = { client_encoding: "UTF8" }.merge(told(text))
          @hosts = hosts
          @seconds = [(LEAST_TO_CONNECT * @hosts.size).to_f, timeout].max
          return if @options.key?(:connect_timeout) || ENV.key?("PGCONNECT_TIMEOUT")

          # A single server has more time than the store waits: the error is always the store's own.
          share = @hosts.one? ? 2 * @seconds : @seconds / @hosts.size
          @options[:connect_timeout] = [LEAST_TO_CONNECT, share.to_i].max
        end

        # The gem itself tries no further server after a silent one.
        #
        # @return [PG::Connection] a new one, to the first server that can be reached, and is of the wanted kind
        # @raise [PG::Error] no server can be reached
        def connect
          attempts = wanted.product(@hosts)
          attempts.each_with_index do |(kind, host), place|
            return PG.connect(**@options, **kind, **host)
          rescue PG::ConnectionBad
            raise if place == attempts.size - 1
          end
        end

        private

        def told(text)
          parsed = PG::Connection.conninfo_parse(text)
          parsed.filter_map { |option| [option[:keyword].to_sym, option[:val]] if option[:val] }.to_h
        end

        # The options of each server: the servers of a list share one port, or have one each.
        def hosts
          names = { host: @options[:host] || ENV.fetch("PGHOST", nil), hostaddr: @options[:hostaddr],
                    port: @options[:port] || ENV.fetch("PGPORT", nil) }
          lists = names.compact.transform_values { |value| value.split(",", -1) }
          count = lists.slice(:host, :hostaddr).values.map(&:size).max || 1
          return [{}] if count == 1 || lists.values.any? { |list| ![1, count].include?(list.size) }

          Array.new(count) { |place| lists.transform_values { |list| list.one? ? list.first : list[place] } }
        end

        # As in libpq: if standbys are preferred, the first standby of all servers is taken, otherwise the first server.
        def wanted
          return [{}] unless @options[:target_session_attrs] == "prefer-standby" && @hosts.size > 1

          [{ target_session_attrs: "standby" }, { target_session_attrs: "any" }]
        end
      end
    end
  end
end
