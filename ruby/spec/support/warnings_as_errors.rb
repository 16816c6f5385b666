# frozen_string_literal: true

# A warning about a file of this project ends the run; those about other files are ignored.
module WarningsAsErrors
  ROOT = File.expand_path("../../..", __dir__)

  # Not a StandardError, so that no `rescue` in the code under test can swallow it.
  class Raised < Exception # rubocop:disable Lint/InheritException
  end

  def warn(message, **)
    raise Raised, message if message.start_with?("#{ROOT}/")

    super
  end
end

Warning[:deprecated] = true
Warning.extend(WarningsAsErrors)
