# frozen_string_literal: true

# Signs in with the token of an account.
class SessionsController < ApplicationController
  skip_before_action :require_account

  def new; end

  def create
    account = Account.find_by(token: params.require(:token))
    return redirect_to(new_session_path) if account.nil?

    reset_session
    session[:account_id] = account.id
    redirect_to articles_path
  end
end
