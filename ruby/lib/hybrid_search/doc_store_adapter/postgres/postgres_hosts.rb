# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # The servers in a connection string, and the time that each has to respond (PG-3).
      class PostgresHosts
        include Base::ShortInspect

        # The minimum number of seconds for which libpq tries a server.
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

          # A single server gets more time than the store waits, so that the error is always the store's own.
          share = @hosts.one? ? 2 * @seconds : @seconds / @hosts.size
          @options[:connect_timeout] = [LEAST_TO_CONNECT, share.to_i].max
        end

        # Try the servers one by one, since the gem tries no other server after one that does not respond.
        #
        # @return [PG::Connection] a new connection to the first server that can be reached and has the required role
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

        # Return the options of each server. The servers of a list share one port, or have one each.
        def hosts
          names = { host: @options[:host] || ENV.fetch("PGHOST", nil), hostaddr: @options[:hostaddr],
                    port: @options[:port] || ENV.fetch("PGPORT", nil) }
          lists = names.reject { |_, value| value.to_s.empty? }.transform_values { |value| value.split(",", -1) }
          count = lists.slice(:host, :hostaddr).values.map(&:size).max || 1
          return [{}] if count == 1 || lists.values.any? { |list| ![1, count].include?(list.size) }

          Array.new(count) { |place| lists.transform_values { |list| list.one? ? list.first : list[place] } }
        end

        # Return the roles to try in order. As in libpq, "prefer-standby" takes the first standby of all servers, and
        # otherwise the first server.
        def wanted
          return [{}] unless @options[:target_session_attrs] == "prefer-standby" && @hosts.size > 1

          [{ target_session_attrs: "standby" }, { target_session_attrs: "any" }]
        end
      end
    end
  end
end
