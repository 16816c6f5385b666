# frozen_string_literal: true

Rails.application.routes.draw do
  root "articles#index"
  resource :session, only: %i[new create]
  resources :articles, only: %i[index show create update destroy]
end
