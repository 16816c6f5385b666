# frozen_string_literal: true

module HybridSearch
  module Records
    # The messages between a process and its workers: plain data of one version of the language (IDX-7).
    module WorkerMessages
      LENGTH = "Q<"
      LENGTH_BYTES = 8
      private_constant :LENGTH, :LENGTH_BYTES

      module_function

      # Write a message: the number of its bytes, then the bytes.
      #
      # @param stream [IO]
      # @param message [Object]
      # @return [void]
      def write(stream, message)
        packed = Marshal.dump(message)
        stream.write([packed.bytesize].pack(LENGTH), packed)
        stream.flush
      end

      # @param stream [IO]
      # @return [Object, nil] the next message; nil at the end of the stream, also in the middle of a message
      def read(stream)
        length = stream.read(LENGTH_BYTES)&.unpack1(LENGTH)
        packed = length && stream.read(length)
        packed && packed.bytesize == length ? Marshal.load(packed) : nil # rubocop:disable Security/MarshalLoad
      end
    end
  end
end
