# frozen_string_literal: true

module HybridSearch
  module Rails
    # Performs the tasks of `rake hybrid_search`, for one model or all of them.
    module Maintenance
      # The number of ids that are compared at once.
      BATCH = 1000
      # The number of ids of each kind that are printed.
      SHOWN = 20
      private_constant :BATCH, :SHOWN

      module_function

      # @param name [String, nil] the name of a model; nil: all
      # @return [Array<Class>]
      # @raise [InvalidInputError] the model does not exist
      def models(name)
        name.to_s.empty? ? Rails.models : [Models.find(name.to_s)]
      end

      # Rebuild the indexes.
      #
      # @param name [String, nil] the name of a model; nil: all
      # @param output [#puts] receives a line for each batch
      # @return [void]
      def reindex(name, output = $stdout)
        models(name).each do |model|
          shown = lambda do |done, total|
            output.puts("#{model.name}: #{done} of #{total}")
            output.flush if output.respond_to?(:flush) # who reads a pipe sees how far it is
          end
          model.hybrid_index.reindex(progress: shown)
          output.puts("#{model.name}: done")
        end
      end

      # Print the contents of each index, and the reasons why it does not fit the code.
      #
      # @param name [String, nil] the name of a model; nil: all
      # @param output [#puts]
      # @return [Boolean] whether all indexes fit
      def status(name, output = $stdout)
        models(name).map do |model|
          status = model.hybrid_index.status
          output.puts("#{model.name}: #{status.stale? ? "does not fit the code" : "ok"}")
          status.reasons.each { |reason| output.puts("  #{reason}") }
          output.puts("  rake \"hybrid_search:reindex[#{model.name}]\" makes it again") if status.stale?
          !status.stale?
        end.all?
      end

      # Remove generations that are not in use.
      #
      # @param name [String, nil] the name of a model; nil: all
      # @param output [#puts]
      # @param grace [Integer] the number of seconds since another one replaced them
      # @return [void]
      def clean(name, output = $stdout, grace: 3600)
        models(name).each do |model|
          model.hybrid_index.status
          removed = model.hybrid_index.collection.clean(grace:)
          output.puts("#{model.name}: #{removed.empty? ? "nothing to remove" : "removed #{removed.join(", ")}"}")
        end
      end

      # Compare the ids of each index with those of its table.
      #
      # @param name [String, nil] the name of a model; nil: all
      # @param output [#puts]
      # @param repair [Boolean] whether to write the differences
      # @return [Boolean] whether the ids agree
      def verify(name, output = $stdout, repair: false)
        models(name).map do |model|
          missing, surplus = difference(model.hybrid_index)
          output.puts("#{model.name}: #{missing.size} missing in the index, #{surplus.size} not in the table")
          [["missing", missing], ["surplus", surplus]].each do |word, ids|
            output.puts("  #{word}: #{ids.first(SHOWN).join(", ")}#{", …" if ids.size > SHOWN}") unless ids.empty?
          end
          model.hybrid_index.sync(missing + surplus) if repair
          missing.empty? && surplus.empty?
        end.all?
      end

      # Log the indexes that do not fit the code. A failure here does not stop the boot.
      #
      # @return [void]
      def log_stale
        Rails.models.each do |model|
          status = model.hybrid_index.status
          next unless status.stale?

          Base::Log.warning("the index of #{model.name} does not fit the code (#{status.reasons.join("; ")}): " \
                            "run rake \"hybrid_search:reindex[#{model.name}]\"")
        end
      rescue ::StandardError => e
        Base::Log.warning("the indexes could not be checked: #{Base::Validation.foreign_error(e)}")
      end

      def difference(index)
        stored = index.collection.ids.to_h { |id| [id, true] }
        missing = []
        index.relation.reorder(nil).find_in_batches(batch_size: BATCH) do |rows|
          rows.each do |row|
            next if index.records(row).empty?

            missing << row.id.to_s unless stored.delete(row.id.to_s)
          end
        end
        [missing, stored.keys]
      end
      private_class_method :difference
    end
  end
end
