# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # Loads mysql2, the gem that connects to OceanBase, when it is first needed (OB-1).
      module OceanBaseLibrary
        module_function

        # @return [Module] Mysql2
        # @raise [ConfigurationError] it is not installed
        def load
          require "mysql2"
          Mysql2
        rescue LoadError
          raise ConfigurationError, 'an OceanBaseDocStore needs the gem mysql2: add gem "mysql2" to the Gemfile'
        end
      end
    end
  end
end
