# frozen_string_literal: true

# A worker process in Ruby: the port as it is measured. A line of JSON names a subject, a method and its parameters; a
# line of JSON is the answer.

$LOAD_PATH.unshift(__dir__, File.expand_path("../../../ruby/lib", __dir__))

require "json"
require_relative "../../implementations/ruby/internals"
require "contestants"

subjects = Hash.new { |known, name| known[name] = Bench::SUBJECTS.fetch(name).new }
$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  request = JSON.parse(line)
  subject = subjects[request["subject"]]
  value = subject.public_send(request["method"], **request["params"].transform_keys(&:to_sym))
  $stdout.write(JSON.generate({ "value" => value }), "\n")
  $stdout.flush
end
