# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Rails
    # Computes a digest of the way in which the records of a model are made: options, lambdas and `search_data` by their
    # source. Comments and white space do not count, and neither do callbacks, scopes and conditions.
    module ModelDefinition
      DIGITS = 16
      private_constant :DIGITS

      module_function

      # @param model [Class]
      # @param options [ModelOptions]
      # @return [String] 16 hexadecimal digits
      def digest(model, options)
        parts = {
          "texts" => options.texts.map { |name, source| [name.to_s, shown(source)] },
          "metadata" => options.metadata,
          "tenant" => options.tenant,
          "chunk" => options.chunk && shown(options.chunk),
          "version" => options.version.to_s,
          "search_data" => search_data(model)
        }
        Digest::SHA256.hexdigest(JSON.generate(parts))[0, DIGITS]
      end

      def search_data(model)
        CallableSource.of(model.instance_method(:search_data)) if model.method_defined?(:search_data)
      end
      private_class_method :search_data

      def shown(source)
        case source
        when ::Proc then CallableSource.of(source)
        when ::Hash then source.map { |name, value| [name.to_s, value.is_a?(::Numeric) ? value : value.to_s] }
        else ::Kernel.Array(source).map(&:to_s)
        end
      end
      private_class_method :shown
    end
  end
end
