# frozen_string_literal: true

module HybridSearch
  module Server
    # Writes an access log, one line of JSON for each request (CUR-6). A failure to write is logged once and stops
    # nothing.
    class AccessLog
      include Base::ShortInspect

      # @param target [#write, nil] nil writes nothing
      def initialize(target)
        @target = target
        @lock = Mutex.new
        @failed = false
      end

      # Write one entry with the current time first.
      #
      # @param entry [Hash{String=>Object}]
      # @return [void]
      def write(entry)
        return if @target.nil?

        line = "#{Base::JsonWriter.write({ "time" => Time.now.utc.strftime("%Y-%m-%dT%H:%M:%S.%LZ"), **entry })}\n"
        @lock.synchronize do
          @target.write(line)
          @target.flush if @target.respond_to?(:flush)
        end
      rescue StandardError => e
        Base::Log.warning("the access log cannot be written: #{Base::Validation.foreign_error(e)}") unless @failed
        @failed = true
      end
    end
  end
end
