# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module OceanBase
      # Translates errors of OceanBase into errors of this library (OB-4).
      module OceanBaseErrors
        UNKNOWN_OUTCOME = "did not confirm the commit: whether the batch is stored is not known"
        LOST = "lost its connection; nothing of a batch is stored"
        FORBIDDEN = "cannot be used: the user has not the right to do so"
        FULL = "cannot be written: the disk is full; nothing of the batch is stored"
        MISSING = "does not exist; a store with migrate makes it"
        # The server's error code => the message about the collection.
        MESSAGES = {
          1021 => FULL,
          1040 => "cannot be reached: the server has too many connections",
          1044 => FORBIDDEN,
          1045 => "cannot be reached: the server refused the user or the password",
          1049 => "cannot be reached: there is no such database",
          1054 => "holds other tables than a collection has",
          1114 => FULL,
          1142 => FORBIDDEN,
          1146 => MISSING,
          1227 => FORBIDDEN,
          2026 => "cannot be reached: there is no TLS connection that the certificates prove",
          4184 => FULL
        }.freeze
        # The codes for a statement, or for waiting for another writer, that took too long.
        LATE = [1205, 4012].freeze
        # The codes for a connection that failed.
        CONNECTION_CODES = [0, 2002, 2003, 2006, 2013, 2014, 2055].freeze
        # The codes for a commit that certainly failed.
        ROLLED_BACK = [1213, 6002].freeze

        module_function

        # @return [DocStoreError] the error with a message about a collection
        def failure(collection, what)
          DocStoreError.new("the collection #{JSON.generate(collection)} #{what}")
        end

        # @return [UnknownOutcomeError] the error for a batch that may or may not be stored
        def unknown_outcome(collection)
          UnknownOutcomeError.new(failure(collection, UNKNOWN_OUTCOME).message)
        end

        # @param error [Mysql2::Error]
        # @return [Integer] the server's error code, or that of the client; 0 if the error has none
        def code(error)
          error.error_number.to_i
        end

        # @return [DocStoreError] the error for a server that did not respond in time
        def late(collection, timeout)
          failure(collection, "did not answer within #{Base::Validation.describe(timeout)} seconds")
        end

        # @param collection [String] the name of the collection
        # @param timeout [Float] the maximum number of seconds for a statement
        # @param error [Mysql2::Error] the error that the driver raised
        # @param is_late [Boolean] whether the server did not respond within that time
        # @return [DocStoreError] the library's error for an error of a statement
        def translated(collection, timeout, error, is_late)
          found = code(error)
          is_lost = CONNECTION_CODES.include?(found)
          return late(collection, timeout) if LATE.include?(found) || (is_late && is_lost)
          return failure(collection, MESSAGES[found]) if MESSAGES.key?(found)

          failure(collection, is_lost ? LOST : "failed: #{told(error)}")
        end

        # @param collection [String] the name of the collection
        # @param timeout [Float] the maximum number of seconds for connecting
        # @param error [Mysql2::Error] the error that the driver raised
        # @param is_late [Boolean] whether the server did not respond within that time
        # @return [DocStoreError] the library's error for a failed connection
        def unreachable(collection, timeout, error, is_late)
          found = code(error)
          return failure(collection, MESSAGES[found]) if MESSAGES.key?(found)
          return late(collection, timeout) if is_late
          return failure(collection, "cannot be reached: #{told(error)}") unless CONNECTION_CODES.include?(found)

          failure(collection, "cannot be reached: the server does not accept connections")
        end

        # Return the code of an error; the server's message may repeat a part of a statement.
        def told(error)
          "error #{code(error)} of the server"
        end
        private_class_method :told
      end
    end
  end
end
