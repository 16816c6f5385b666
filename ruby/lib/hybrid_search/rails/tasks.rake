# frozen_string_literal: true

namespace :hybrid_search do
  models = ->(arguments) { arguments[:model] }
  loaded = lambda do
    Rails.application.eager_load!
    HybridSearch::Rails::Maintenance
  end

  desc "Make the index of a model, or of all, again, without downtime"
  task :reindex, [:model] => :environment do |_, arguments|
    loaded.call.reindex(models.call(arguments))
  end

  desc "Show whether the indexes fit the code; status 1 where one does not"
  task :status, [:model] => :environment do |_, arguments|
    exit(1) unless loaded.call.status(models.call(arguments))
  end

  desc "Remove generations of indexes that nobody uses (GRACE: seconds, 3600)"
  task :clean, [:model] => :environment do |_, arguments|
    loaded.call.clean(models.call(arguments), grace: Integer(ENV.fetch("GRACE", "3600"), 10))
  end

  desc "Compare the indexes with the tables; status 1 where they differ (REPAIR=1 writes what differs)"
  task :verify, [:model] => :environment do |_, arguments|
    exit(1) unless loaded.call.verify(models.call(arguments), repair: ENV["REPAIR"] == "1")
  end
end
