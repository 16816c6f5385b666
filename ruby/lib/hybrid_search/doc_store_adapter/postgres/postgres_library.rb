# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Loads pg, the gem that connects to PostgreSQL, when it is first needed (PG-1).
      module PostgresLibrary
        # The server's number (OID) of a type → the decoder of its values, as text and in binary.
        DECODERS = { 16 => "Boolean", 17 => "Bytea", 20 => "Integer", 21 => "Integer", 23 => "Integer",
                     701 => "Float" }.freeze
        private_constant :DECODERS

        module_function

        # @return [Module] PG
        # @raise [ConfigurationError] it is not installed
        def load
          require "pg"
          PG
        rescue LoadError
          raise ConfigurationError, 'a PostgresDocStore needs the gem pg: add gem "pg" to the Gemfile'
        end

        # @return [Boolean] whether statements can be sent without waiting for responses, which requires libpq 14 or
        #   later
        def pipelines?
          PG::Connection.method_defined?(:enter_pipeline_mode)
        end

        # @return [PG::TypeMapByOid] the decoders of the server's values
        def types
          @types ||= DECODERS.each_with_object(PG::TypeMapByOid.new) do |(oid, name), map|
            map.add_coder(PG::BinaryDecoder.const_get(name).new(oid:))
            map.add_coder(PG::TextDecoder.const_get(name).new(oid:))
          end
        end

        # @return [PG::TypeMapAllStrings] a type map that sends values unchanged
        def plain
          @plain ||= PG::TypeMapAllStrings.new
        end
      end
    end
  end
end
