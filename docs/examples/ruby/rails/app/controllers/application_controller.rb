# frozen_string_literal: true

# Knows the account of a request: of the session of a browser, or of a token.
class ApplicationController < ActionController::Base
  protect_from_forgery with: :exception, unless: :token_account
  before_action :require_account

  private

  def current_account
    @current_account ||= token_account || Account.find_by(id: session[:account_id])
  end
  helper_method :current_account

  def token_account
    authenticate_with_http_token { |token| Account.find_by(token:) }
  end

  def require_account
    return if current_account

    request.format.json? ? head(:unauthorized) : redirect_to(new_session_path)
  end

  include ActionController::HttpAuthentication::Token::ControllerMethods
end
