# frozen_string_literal: true

module HybridSearch
  module Rails
    # The tenant of a search: the value of the attribute that a model declares.
    module Tenant
      # The value that searches all tenants, for administrators.
      ALL = :all

      module_function

      # @param value [Object] the value of the attribute, or a record whose id it is
      # @return [String, nil] the tenant in its stored form
      def text(value)
        value = value.id if value.respond_to?(:to_key) && value.respond_to?(:id)
        value&.to_s
      end

      # @param index [ModelIndex]
      # @param given [Object] the argument `tenant`; nil: not given
      # @param relation [ActiveRecord::Relation] a relation whose condition for the attribute counts if no tenant is
      #   given
      # @return [String, nil] the tenant to search in; nil: all
      # @raise [InvalidInputError] the model declares a tenant but none is given, or the other way round
      def of_search(index, given, relation)
        name = index.options.tenant
        if name.nil?
          return if given.nil?

          raise InvalidInputError, "tenant is not an option of #{index.model.name}: it declares no tenant"
        end
        given = relation.where_values_hash[name] if given.nil?
        return if given == ALL

        found = given.is_a?(::Array) ? nil : text(given)
        return found unless found.nil? || found.empty?

        raise InvalidInputError, "tenant must be given: #{index.model.name} declares tenant: #{name.to_sym.inspect} " \
                                 "(tenant: :all searches all of them)"
      end
    end
  end
end
