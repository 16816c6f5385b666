# frozen_string_literal: true

require "mkmf"

# kernels.c is in git once, where the Python package has it; `rake` puts a copy next to this file.
# Sums must not be contracted (docs/native.md); these flags come last, so that none of Ruby's own undoes them.
append_cflags(%w[-std=c11 -O3 -ffp-contract=off])
have_library("m")
create_makefile("hybrid_search/native/kernels")
