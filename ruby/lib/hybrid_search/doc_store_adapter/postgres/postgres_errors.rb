# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Postgres
      # What PostgreSQL says, in the words of the library (PG-4).
      module PostgresErrors
        UNKNOWN_OUTCOME = "lost its connection during the commit: whether the batch is stored is not known"
        LOST = "lost its connection; nothing of a batch is stored"
        # The server's code => what it says of a collection.
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
        # How the codes begin with which a server ends a connection.
        CONNECTION_CLASSES = %w[08 57P 25P03].freeze

        module_function

        # @return [DocStoreError] the error of a collection
        def failure(collection, what)
          DocStoreError.new("the collection #{JSON.generate(collection)} #{what}")
        end

        # @return [UnknownOutcomeError] the error of a batch of which it is not known whether it is stored
        def unknown_outcome(collection)
          UnknownOutcomeError.new(failure(collection, UNKNOWN_OUTCOME).message)
        end

        # @param error [PG::Error]
        # @return [String] the server's code; empty where the error is not the server's
        def code(error)
          said(error, PG::Result::PG_DIAG_SQLSTATE).to_s
        end

        # @param error [PG::Error]
        # @param field [Integer] which part of what the server says
        # @return [String, nil] that part; nil where the error is not the server's
        def said(error, field)
          error.result&.error_field(field)
        rescue PG::Error
          nil
        end

        # @param error [PG::Error]
        # @return [Boolean] whether an error of an open connection says that it is one no more
        def lost?(error)
          code(error).empty? || code(error).start_with?(*CONNECTION_CLASSES)
        end

        # @return [DocStoreError] the error of a collection whose server is not heard of in time
        def late(collection, timeout)
          failure(collection, "did not answer within #{Base::Validation.describe(timeout)} seconds")
        end

        # @param collection [String] its name
        # @param timeout [Float] how many seconds a statement may take
        # @param error [PG::Error] what the gem raised
        # @param is_late [Boolean] whether it did so because the server was silent
        # @return [DocStoreError] the error of the library for one of a statement
        def translated(collection, timeout, error, is_late)
          found = code(error)
          return late(collection, timeout) if is_late || %w[57014 55P03].include?(found)
          return failure(collection, MESSAGES[found]) if MESSAGES.key?(found)
          return failure(collection, LOST) if lost?(error)

          what = said(error, PG::Result::PG_DIAG_MESSAGE_PRIMARY)
          failure(collection, "failed: #{what ? what.lines(chomp: true).first : Base::Validation.plain_message(error)}")
        end

        # @param collection [String] its name
        # @param error [PG::Error] what the gem raised
        # @return [DocStoreError] the error of the library where no connection can be made; a text that tells how is not
        #   repeated
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
