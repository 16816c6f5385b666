# frozen_string_literal: true

# Searches, shows and changes the articles of an account.
class ArticlesController < ApplicationController
  before_action :find_article, only: %i[show update destroy]

  def index
    where = params.permit(:lang).to_h.reject { |_, value| value.blank? }
    @articles = Article.hybrid(params[:q], where:, tenant: current_account, page: params[:page], per: 10,
                                           includes: :author, highlight: true, facets: %i[lang])
    respond_to do |format|
      format.html
      format.json do
        render json: { total: @articles.total_count, articles: @articles.map { |article| shown(article) },
                       missing: @articles.missing_count }
      end
    end
  end

  def show
    respond_to do |format|
      format.html { @similar = @article.published? ? @article.similar(tenant: current_account, per: 3) : [] }
      format.json { render json: @article }
    end
  end

  def create
    author = current_account.authors.find_or_create_by!(name: params.require(:author))
    render json: current_account.articles.create!(author:, **attributes), status: :created
  end

  def update
    @article.update!(attributes)
    render json: @article
  end

  def destroy
    @article.destroy!
    head :no_content
  end

  private

  def find_article
    @article = current_account.articles.find(params[:id])
  end

  def attributes
    params.permit(:title, :body, :lang, :published_on).to_h.symbolize_keys
  end

  def shown(article)
    { id: article.id, title: article.title, excerpt: @articles.highlight_for(article) }
  end
end
