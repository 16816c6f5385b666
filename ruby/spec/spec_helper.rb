# frozen_string_literal: true

# Sources are read, and texts shown, as UTF-8 in every locale.
Encoding.default_external = Encoding::UTF_8

# The programs that specs start are short.
ENV.delete_if { |name, _| name.start_with?("RUBY_GC_") }

require_relative "support/warnings_as_errors"
require_relative "support/signatures"
require_relative "support/engines"

Signatures.enforce if Signatures.enforced?
require "hybrid_search"
require_relative "../../conformance/implementations/ruby/internals"

RSpec.configure do |config|
  config.disable_monkey_patching!
  config.order = :random
  config.expect_with(:rspec) { |expectations| expectations.syntax = :expect }
  config.mock_with(:rspec) { |mocks| mocks.verify_partial_doubles = true }

  # `unchecked: "why"` marks specs that take too long with every call checked; `rake spec` runs them without the checks,
  # after the others. Those that are also tagged `nightly: "how"` run with the checks in `rake spec:nightly`, and those
  # with `by_day: false` only there; of engines, in `rake engines:postgres`.
  chosen = ENV.fetch("HYBRID_SEARCH_SPECS", "")
  nightly = chosen == "nightly"
  if nightly
    config.filter_run_including(:nightly)
  elsif chosen.empty? # those of Rails and of engines are run in separate processes
    Signatures.enforced? ? config.filter_run_excluding(:unchecked) : config.filter_run_including(:unchecked)
  end
  config.filter_run_excluding(by_day: false) unless nightly || chosen == "engines by night"
  # `engines: true` marks specs that talk to a database or a cluster; `rake engines` runs them.
  config.include(Engines, :engines)
  config.filter_run_excluding(engines: true)

  config.before(:context) { Signatures::CallsSampled.forget }

  config.before(:suite) do
    reasons = RSpec.world.all_examples.filter_map { |example| example.metadata[:unchecked] unless nightly }.uniq
    order = Signatures.enforced? ? "Later" : "Now"
    reasons.each { |reason| config.reporter.message("#{order} without signature checks: #{reason}") }
  end
end
