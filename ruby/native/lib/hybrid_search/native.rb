# frozen_string_literal: true

module HybridSearch
  # The native kernels; `hybrid_search` finds them by the name of this file.
  module Native
  end
end

require "hybrid_search/native/kernels"
