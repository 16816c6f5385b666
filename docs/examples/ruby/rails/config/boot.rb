# frozen_string_literal: true

# The gems of the Gemfile where Bundler has installed them; Debian's packages are found without it.
require "bundler/setup" if ENV["BUNDLE_GEMFILE"]
require "logger" # Rails 6.1 does not load it itself
