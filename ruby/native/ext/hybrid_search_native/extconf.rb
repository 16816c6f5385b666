# frozen_string_literal: true

require "mkmf"

# The gem has the kernels next to this file; a checkout has them once, where the Python package has them.
kernels = [__dir__, File.expand_path("../../../../python_ref/native/src", __dir__)].find do |folder|
  File.exist?(File.join(folder, "kernels.c"))
end
$srcs = ["ruby.c", "kernels.c"] # rubocop:disable Style/GlobalVars
$VPATH << kernels # rubocop:disable Style/GlobalVars
$INCFLAGS << " -I#{kernels}" # rubocop:disable Style/GlobalVars
# Sums must not be contracted (docs/native.md); these come last, so that no flag of Ruby's own undoes them.
$CFLAGS << " -std=c11 -O3 -ffp-contract=off" # rubocop:disable Style/GlobalVars
have_library("m")
create_makefile("hybrid_search/native/kernels")
