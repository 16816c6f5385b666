# frozen_string_literal: true

module HybridSearch
  module Rails
    # The ids of changed records of all models: those of a `:bulk` block, or those of a request with `callbacks:
    # :queue`.
    class ChangeQueue
      include Base::ShortInspect

      # The maximum number of ids in a job.
      JOB_SIZE = 1000
      KEY = :hybrid_search_queue
      private_constant :KEY

      class << self
        # Note that a record was created, changed or removed, and its transaction committed.
        #
        # @param record [ActiveRecord::Base]
        # @return [void]
        def changed(record)
          index = record.class.hybrid_index
          mode, collected = CallbackMode.current
          mode = index.callbacks if CallbackMode.current.nil?
          case mode
          when :inline then index.sync([record.id])
          when :async then SyncJob.perform_later(index.model.name, [record.id])
          when :queue then queued(index, record.id)
          when :bulk then collected.add(index, record.id)
          end
        end

        # Create the jobs for the changes that were queued in this thread, at the end of a request or a job.
        #
        # @return [void]
        def flush
          waiting = ::Thread.current[KEY]
          ::Thread.current[KEY] = nil
          waiting&.enqueue
        end

        private

        # Queue a change. Outside of a request and a job there is no end of the work, so jobs are created at once.
        def queued(index, id)
          waiting = (::Thread.current[KEY] ||= new)
          waiting.add(index, id)
          flush unless executing?
        end

        def executing?
          application = defined?(::Rails.application) && ::Rails.application
          application ? application.executor.active? : false
        end
      end

      def initialize
        @ids = {}
      end

      # @param index [ModelIndex]
      # @param id [Object] the id of a record
      # @return [void]
      def add(index, id)
        (@ids[index.model.name] ||= {})[id] = true
      end

      # Write all changes now.
      #
      # @return [void]
      def write
        each_model { |name, ids| Models.find(name).hybrid_index.sync(ids) }
      end

      # Create jobs for all changes.
      #
      # @return [void]
      def enqueue
        each_model do |name, ids|
          ids.each_slice(JOB_SIZE) { |several| SyncJob.perform_later(name, several) }
        end
      end

      private

      def each_model
        @ids.each { |name, ids| yield name, ids.keys }
      end
    end
  end
end
