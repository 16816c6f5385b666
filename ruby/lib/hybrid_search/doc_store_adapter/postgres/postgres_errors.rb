# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Postgres
      # Translates errors of PostgreSQL into errors of this library (PG-4).
      module PostgresErrors
        UNKNOWN_OUTCOME = "lost its connection during the commit: whether the batch is stored is not known"
        LOST = "lost its connection; nothing of a batch is stored"
        # The server's error code => the message about the collection.
        MESSAGES = {
          "25006" => "can only be read",
          "28000" => "cannot be reached: the server refused the user",
          "28P01" => "cannot be reached: the server refused the password",
          "3D000" => "cannot be reached: there is no such database",
          "3F000" => "does not exist; `hybrid-search postgres migrate` makes it",
          "2BP01" => "cannot be removed: other objects of the database depend on its tables",
          "42501" => "cannot be used: the user has not the right to do so",
          "42P01" => "does not exist; `hybrid-search postgres migrate` makes it",
          "53100" => "cannot be written: the disk is full; nothing of the batch is stored",
          "53300" => "cannot be reached: the server has too many connections"
        }.freeze
        # The beginnings of the codes with which a server ends a connection.
        CONNECTION_CLASSES = %w[08 57P 25P03].freeze

        module_function

        # @return [DocStoreError] the error with a message about a collection
        def failure(collection, what)
          DocStoreError.new("the collection #{JSON.generate(collection)} #{what}")
        end

        # @return [UnknownOutcomeError] the error for a batch that may or may not be stored
        def unknown_outcome(collection)
          UnknownOutcomeError.new(failure(collection, UNKNOWN_OUTCOME).message)
        end

        # @param error [PG::Error]
        # @return [String] the server's error code; empty if the error is not the server's
        def code(error)
          said(error, PG::Result::PG_DIAG_SQLSTATE).to_s
        end

        # @param error [PG::Error]
        # @param field [Integer] the number of a field of the server's message
        # @return [String, nil] the content of that field; nil if the error is not the server's
        def said(error, field)
          error.result&.error_field(field)
        rescue PG::Error
          nil
        end

        # @param error [PG::Error]
        # @return [Boolean] whether an error means that an open connection is lost
        def lost?(error)
          code(error).empty? || code(error).start_with?(*CONNECTION_CLASSES)
        end

        # @return [DocStoreError] the error for a server that did not respond in time
        def late(collection, timeout)
          failure(collection, "did not answer within #{Base::Validation.describe(timeout)} seconds")
        end

        # @param collection [String] the name of the collection
        # @param timeout [Float] the maximum number of seconds for a statement
        # @param error [PG::Error] the error that the gem raised
        # @param is_late [Boolean] whether the gem raised it because the server did not respond
        # @return [DocStoreError] the library's error for an error of a statement
        def translated(collection, timeout, error, is_late)
          found = code(error)
          return late(collection, timeout) if is_late || %w[57014 55P03].include?(found)
          return failure(collection, MESSAGES[found]) if MESSAGES.key?(found)
          return failure(collection, LOST) if lost?(error)

          what = said(error, PG::Result::PG_DIAG_MESSAGE_PRIMARY)
          failure(collection, "failed: #{what ? what.lines(chomp: true).first : Base::Validation.plain_message(error)}")
        end

        # @param collection [String] the name of the collection
        # @param error [PG::Error] the error that the gem raised
        # @return [DocStoreError] the library's error for a failed connection; it does not repeat the connection string
        def unreachable(collection, error)
          return failure(collection, MESSAGES[code(error)]) if MESSAGES.key?(code(error))

          unless error.is_a?(PG::ConnectionBad)
            what = "cannot be reached: the text of the connection is not one that PostgreSQL accepts"
            return failure(collection, what)
          end
          failure(collection, "cannot be reached: #{Base::Validation.plain_message(error)}")
        end
      end
    end
  end
end
