# frozen_string_literal: true

require "yaml"
require "support/rails_models"

RSpec.describe "Habits of Rails developers", skip: RailsModels.missing do
  include RailsModels

  before do
    article_class { hybrid_search content: :body, title: :title, metadata: %i[lang year] }
    stub_const("Other", Class.new(ActiveRecord::Base) { self.table_name = "articles" })
    HybridSearch::Rails.callbacks(:bulk) do
      5.times do |number|
        Article.create!(title: "Shed #{number}", body: "shed number #{number}", lang: number < 2 ? "en" : "zh",
                        year: 2000 + number)
      end
    end
  end

  YAML.safe_load_file(File.expand_path("habits.yml", __dir__)).each do |habit|
    it "supports or refuses #{habit["code"]}" do
      work = -> { eval(habit["code"], binding, __FILE__, __LINE__) } # rubocop:disable Security/Eval -- code of the file of cases
      if habit.key?("refused")
        expect { work.call.inspect }.to raise_error(StandardError, include(habit["refused"]))
      else
        expect(work.call).to eq(habit["is"])
      end
    end
  end
end
