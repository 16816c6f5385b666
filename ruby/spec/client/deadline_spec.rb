# frozen_string_literal: true

require "json"
require "rbconfig"
require "spec_helper"
require "support/full_queue"

RSpec.describe "A call that meets its deadline" do
  let(:program) { File.expand_path("../support/late_call.rb", __dir__) }

  # Several fresh processes at once, so that they disturb each other as the processes of a busy machine do.
  def outcomes(url, where, count)
    command = [RbConfig.ruby, "-I", File.expand_path("../../lib", __dir__), program, url, "0.5", where]
    Array.new(count) { IO.popen(command) }.map { |process| JSON.parse(process.read) }
  end

  %w[main thread].each do |where|
    %w[http https].each do |scheme|
      it "raises the documented error and nothing afterwards (#{scheme}, #{where})" do
        FullQueue.open do |port|
          outcomes("#{scheme}://127.0.0.1:#{port}/rerank", where, 4).each do |outcome|
            expect(outcome).to include("later" => nil, "hanging" => [], "threads" => 0)
            expect(outcome["raised"]).to end_with("before the deadline of 0.5 seconds")
          end
        end
      end
    end
  end
end
