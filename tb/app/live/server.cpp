#include "tb/app/live/server.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/random.h>
#include <utility>

namespace fenceline::live {

namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr std::size_t kThreads = 4;
constexpr int kPatience = 1;  ///< [s] for a reader that neither sends nor takes anything
/// A reader asks twice a second; a browser lets a hidden page ask once a second.
constexpr std::chrono::milliseconds kReads{2'000};
constexpr std::chrono::milliseconds kLastLook{1'200};

std::string random_token() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error("the system has no random numbers");
  std::string token;
  for (const std::uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

/// A port may follow: a tunnel has one of its own.
bool names_loopback(const httplib::Request& request) {
  if (request.get_header_value_count("Host") != 1) return false;
  const std::string host = request.get_header_value("Host");
  const std::string name = host.substr(0, host.find(':'));
  return name == kLoopback || name == "localhost";
}

}  // namespace

Server::Server(std::string_view page) : page_(page), token_(random_token()) {
  server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server_.set_socket_options([](int) {});  // the library would share the port
  server_.set_address_family(AF_INET);
  server_.set_keep_alive_max_count(1);
  server_.set_keep_alive_timeout(kPatience);
  server_.set_read_timeout(kPatience);
  server_.set_write_timeout(kPatience);
  server_.set_default_headers(
      {{"Cache-Control", "no-store"},
       {"Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Referrer-Policy", "no-referrer"},
       {"X-Content-Type-Options", "nosniff"}});
  server_.set_pre_routing_handler(
      [this](const httplib::Request& request, httplib::Response& response) {
        return answer(request, response);
      });
}

Server::~Server() {
  if (!thread_.joinable()) return;
  while (!server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  server_.stop();
  thread_.join();
}

std::string Server::start() {
  const int port = server_.bind_to_any_port(kLoopback);
  if (port <= 0) return {};
  thread_ = std::thread([this] { server_.listen_after_bind(); });
  return fmt::format("http://{}:{}/{}/", kLoopback, port, token_);
}

void Server::show(std::string state) {
  const std::lock_guard<std::mutex> lock(mutex_);
  state_ = std::move(state);
}

std::string Server::state() {
  asked_ = Clock::now().time_since_epoch().count();
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

httplib::Server::HandlerResponse Server::answer(const httplib::Request& request,
                                                httplib::Response& response) {
  const bool reads = request.method == "GET";
  if (!names_loopback(request))
    response.status = 403;
  else if (reads && request.target == "/" + token_ + "/")
    response.set_content(page_.data(), page_.size(), "text/html; charset=utf-8");
  else if (reads && request.target == "/" + token_ + "/state")
    response.set_content(state(), "application/json");
  else
    response.status = 404;
  if (response.status == -1) response.status = 200;
  return httplib::Server::HandlerResponse::Handled;
}

void Server::wait_for_readers() const {
  const Clock::time_point asked{Clock::duration(asked_)};
  if (asked == Clock::time_point{} || Clock::now() - asked > kReads) return;
  std::this_thread::sleep_for(kLastLook);
}

}  // namespace fenceline::live
