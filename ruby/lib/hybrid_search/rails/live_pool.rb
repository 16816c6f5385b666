# frozen_string_literal: true

module HybridSearch
  module Rails
    # The current connection pool of a class of the application; a forked child, or `establish_connection`, changes it.
    class LivePool
      include Base::ShortInspect

      # @param base [Class] a class of ActiveRecord, such as `ActiveRecord::Base`
      def initialize(base)
        @base = base
      end

      # @return [ActiveRecord::ConnectionAdapters::AbstractAdapter] a connection that no thread holds
      def checkout
        @base.connection_pool.checkout
      end

      # @param adapter [ActiveRecord::ConnectionAdapters::AbstractAdapter] the result of {#checkout}
      # @return [void]
      def checkin(adapter)
        adapter.pool.checkin(adapter)
      end

      # @return [ActiveRecord::ConnectionAdapters::AbstractAdapter, nil] the connection that this thread holds
      def active_connection?
        @base.connection_pool.active_connection?
      end

      # @yieldparam adapter [ActiveRecord::ConnectionAdapters::AbstractAdapter]
      # @return [Object] the value of the block
      def with_connection(&)
        @base.connection_pool.with_connection(&)
      end
    end
  end
end
