# frozen_string_literal: true

require "json"

# Forks processes of Rails from one that has loaded its libraries, which takes most of the time of a short process.
#
# No part of the application is loaded before the fork. A line of JSON on standard input asks for a process: the script,
# its arguments, the variables, the folder, and the file for its output. The reply is a line with its exit status, null
# if a signal ended it.
module RailsStarter
  LIBRARIES = %w[logger active_support/all active_record/railtie active_job/railtie action_controller/railtie
                 rails/test_unit/railtie rails/command action_view action_view/helpers rails-html-sanitizer sqlite3
                 active_record/connection_adapters/sqlite3_adapter hybrid_search/rails rake].freeze

  class << self
    def serve
      LIBRARIES.each { |name| require name }
      $stdin.each_line do |line|
        asked = JSON.parse(line)
        child = fork { run(**asked.transform_keys(&:to_sym)) }
        $stdout.puts(JSON.generate(Process.wait2(child)[1].exitstatus))
        $stdout.flush
      end
    end

    private

    def run(script:, arguments:, variables:, folder:, output:)
      $stdin.reopen(File::NULL)
      [$stdout, $stderr].each { |stream| stream.reopen(output, "a") }
      $stdout.sync = true
      ENV.update(variables)
      Dir.chdir(folder)
      ARGV.replace(arguments)
      $PROGRAM_NAME = script
      load(script)
    end
  end
end

RailsStarter.serve if $PROGRAM_NAME == __FILE__
