// First, since Asio 1.74 needs std::exchange and forgets to say so.
#include "engine/http/server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <chrono>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "engine/http/threads.h"

namespace coppice::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;
using Stream = beast::basic_stream<Protocol>;

constexpr std::uint32_t kHeaderBytes = 16 << 10;
constexpr std::uint64_t kBodyBytes = 1 << 20;
constexpr std::chrono::seconds kAnswerTime{300};
constexpr std::chrono::seconds kAfterTheLast{1};

constexpr std::pair<const char*, const char*> kOfEveryAnswer[] = {
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

// What an answer has of itself goes first.
template <class Response>
void SetHeaders(const Answer& answer, Response& response) {
  response.set("Content-Security-Policy", ContentPolicy());
  for (const auto& [name, value] : kOfEveryAnswer) response.set(name, value);
  response.set("Content-Type", answer.type);
  for (const auto& [name, value] : answer.headers) response.set(name, value);
}

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

using Message = beast::http::request<beast::http::string_body>;

// The request without its body.  None: its target is not well-formed.
std::optional<Request> RequestOf(const Message& message) {
  Request request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  auto query = ParseQuery(mark == target.npos
                              ? std::string_view()
                              : std::string_view(target).substr(mark + 1));
  if (!query || !request.path.starts_with('/')) return std::nullopt;
  request.query = *std::move(query);
  for (const auto& field : message) {
    std::string name(field.name_string());
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    // These headers must be there once: nobody could tell which of two counts.
    if (!request.headers.emplace(name, std::string(field.value())).second &&
        (name == "host" || name == "origin" || name == "cookie")) {
      return std::nullopt;
    }
  }
  return request;
}

Answer AnswerToBadRequest(const error_code& error) {
  if (error == beast::http::error::header_limit) {
    return Refusal(431, "a header of more than 16 kB");
  }
  if (error == beast::http::error::body_limit) {
    return Refusal(413, "a body of more than 1 MB");
  }
  return Refusal(400, "not a request of HTTP/1.1");
}

}  // namespace

class Server::Impl {
 public:
  Impl(Door door, Handler handler, ServerLimits limits)
      : door_(std::move(door)),
        handler_(std::move(handler)),
        limits_(limits),
        pool_(limits.handlers),
        heartbeat_(context_) {}

  Result<void> Listen(const Place& place);
  void Run();
  void Stop();
  void Publish(std::string text);
  std::uint16_t port() const { return door_.port; }

 private:
  class Session;
  using Acceptor = asio::basic_socket_acceptor<Protocol>;

  Result<void> ListenOn(const std::string& address, std::uint16_t port);
  Result<void> ListenAt(const std::filesystem::path& socket);
  template <class Endpoint>
  error_code Open(const Endpoint& endpoint, int protocol);
  void Accept(Acceptor& acceptor);
  bool MakePlace();
  void Beat();

  Door door_;
  const Handler handler_;
  const ServerLimits limits_;
  asio::io_context context_{1};
  asio::thread_pool pool_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  std::filesystem::path socket_;
  asio::steady_timer heartbeat_;
  // Only the context's thread uses what follows.
  std::set<std::shared_ptr<Session>> sessions_;
  std::int64_t accepted_ = 0;
  Threads tellers_;   // Each tells an answer in pieces.
  std::string last_;  // What was published.
  std::int64_t published_ = 0;
  std::thread thread_;
};

// A connection: a request after the other, or a viewer for good.
class Server::Impl::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Impl& server, Protocol::socket socket, std::int64_t number)
      : server_(server),
        stream_(std::move(socket)),
        number_(number),
        deadline_(server.context_) {}

  bool is_trusted() const { return is_trusted_; }
  std::int64_t number() const { return number_; }

  void Read();
  void Close();
  // Sends to a viewer: the newest text wins.
  void Send(const std::string& text);
  void Beat();

 private:
  using Response = beast::http::response<beast::http::string_body>;
  using Headers = decltype(http::Answer::headers);

  void OnHeader(const error_code& error);
  void OnBody(const error_code& error);
  bool IsOver(const error_code& error);
  void Ask(Request request);
  void Write(Answer answer, bool is_last, bool is_head);
  void WriteHeadOfStream(const std::string& type, const Headers& headers,
                         std::string more);
  void BeginViewing();
  void BeginTelling(Answer answer);
  void Tell(const std::string& piece);
  void EndTelling();
  void WriteNext();
  void WatchForEnd();
  void Linger();
  // The stream's own deadline does not count while something is being read.
  void CloseAfter(std::chrono::seconds time);

  Impl& server_;
  Stream stream_;
  const std::int64_t number_;  // In order of arrival.
  asio::steady_timer deadline_;
  beast::flat_buffer buffer_{kHeaderBytes + kBodyBytes};
  std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
  std::optional<Response> response_;
  std::optional<Request> request_;  // Of the header that was read.
  bool is_trusted_ = false;         // It brought the token.
  bool is_viewer_ = false;
  bool is_closed_ = false;
  bool is_told_ = false;  // All of an answer in pieces.
  const std::shared_ptr<std::atomic<bool>> is_gone_ =
      std::make_shared<std::atomic<bool>>(false);
  std::string on_its_way_;
  std::string waiting_;
  int beats_in_flight_ = 0;
  char scrap_[512];
};

void Server::Impl::Session::Read() {
  parser_.emplace();
  parser_->header_limit(kHeaderBytes);
  parser_->body_limit(kBodyBytes);
  const ServerLimits& limits = server_.limits_;
  stream_.expires_after(
      Milliseconds(is_trusted_ ? limits.request_s : limits.stranger_s));
  beast::http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& error, std::size_t) {
        self->OnHeader(error);
      });
}

// Whether nothing more comes of the request, and all was done about that.
bool Server::Impl::Session::IsOver(const error_code& error) {
  if (is_closed_) return true;
  if (error == beast::http::error::end_of_stream ||
      error == beast::error::timeout || error == asio::error::eof ||
      error == asio::error::connection_reset ||
      error == beast::http::error::partial_message) {
    Close();
    return true;
  }
  if (error) Write(AnswerToBadRequest(error), true, false);
  return static_cast<bool>(error);
}

void Server::Impl::Session::OnHeader(const error_code& error) {
  if (IsOver(error)) return;
  request_ = RequestOf(parser_->get());
  if (!request_) {
    return Write(Refusal(400, "not a request of HTTP/1.1"), true, false);
  }
  const bool is_all = parser_->is_done();
  if (auto stopped = http::Stop(server_.door_, *request_)) {
    const bool is_last = !parser_->get().keep_alive() || !is_all;
    return Write(*std::move(stopped), is_last, request_->method == "HEAD");
  }
  is_trusted_ = true;
  if (is_all) return OnBody({});
  stream_.expires_after(Milliseconds(server_.limits_.request_s));
  beast::http::async_read(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const error_code& later, std::size_t) {
        self->OnBody(later);
      });
}

void Server::Impl::Session::OnBody(const error_code& error) {
  if (IsOver(error)) return;
  request_->body = std::move(parser_->get().body());
  if (request_->path == "/events" && request_->method == "GET") {
    return BeginViewing();
  }
  Ask(*std::move(request_));
}

void Server::Impl::Session::Ask(Request request) {
  stream_.expires_never();
  const bool keep = parser_->get().keep_alive();
  const auto shared = std::make_shared<Request>(std::move(request));
  asio::post(server_.pool_, [self = shared_from_this(), shared, keep] {
    Answer answer;
    try {
      answer = self->server_.handler_(*shared);
    } catch (const std::exception& exception) {
      answer = Refusal(503, exception.what());  // Out of memory.
    }
    const bool is_head = shared->method == "HEAD";
    asio::post(self->server_.context_,
               [self, keep, is_head, answer = std::move(answer)]() mutable {
                 self->Write(std::move(answer), !keep, is_head);
               });
  });
}

void Server::Impl::Session::Write(Answer answer, bool is_last, bool is_head) {
  if (is_closed_) return;
  if (answer.pieces && !is_head) return BeginTelling(std::move(answer));
  response_.emplace();
  response_->version(11);
  response_->result(static_cast<unsigned>(answer.status));
  SetHeaders(answer, *response_);
  response_->keep_alive(!is_last);
  const std::size_t size = answer.body.size();
  if (!is_head) response_->body() = std::move(answer.body);
  response_->content_length(size);
  if (answer.status == 304) response_->erase("Content-Length");
  stream_.expires_after(kAnswerTime);
  const auto done = [self = shared_from_this(), is_last](
                        const error_code& error, std::size_t) {
    if (self->is_closed_) return;
    if (error) return self->Close();
    if (is_last) return self->Linger();
    self->Read();
  };
  beast::http::async_write(stream_, *response_, done);
}

// What was refused may still be on its way; closed at once, its sender would
// lose the answer.
void Server::Impl::Session::Linger() {
  error_code ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  CloseAfter(kAfterTheLast);
  WatchForEnd();
}

void Server::Impl::Session::BeginViewing() {
  is_viewer_ = true;
  WriteHeadOfStream("text/event-stream", {}, ": coppice\n\n" + server_.last_);
}

// Tells by a thread of its own: it may take minutes, and the pool has few.
void Server::Impl::Session::BeginTelling(Answer answer) {
  const std::size_t most = server_.limits_.tellers;
  if (server_.tellers_.Count() >= most) {
    return Write(Refusal(503, std::to_string(most) +
                                  " questions are being answered: ask again "
                                  "once one of them is"),
                 true, false);
  }
  WriteHeadOfStream(answer.type, answer.headers, "");
  server_.tellers_.Start(
      [self = shared_from_this(), pieces = std::move(answer.pieces)] {
        const auto tell = [&self](std::string piece) {
          asio::post(self->server_.context_,
                     [self, piece = std::move(piece)] { self->Tell(piece); });
        };
        try {
          pieces(tell, *self->is_gone_);
        } catch (const std::exception&) {
          // Memory ran out: what was told is all there is.
        }
        asio::post(self->server_.context_, [self] { self->EndTelling(); });
      });
}

void Server::Impl::Session::Tell(const std::string& piece) {
  if (is_closed_) return;
  waiting_ += piece;
  if (on_its_way_.empty()) WriteNext();
}

void Server::Impl::Session::EndTelling() {
  if (is_closed_) return;
  is_told_ = true;
  if (!on_its_way_.empty()) return;  // Then its end comes after it.
  error_code ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  CloseAfter(kAfterTheLast);
}

void Server::Impl::Session::CloseAfter(std::chrono::seconds time) {
  deadline_.expires_after(time);
  deadline_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error && !self->is_closed_) self->Close();
  });
}

void Server::Impl::Session::WriteHeadOfStream(const std::string& type,
                                              const Headers& headers,
                                              std::string more) {
  stream_.expires_never();
  Response header{beast::http::status::ok, 11};
  SetHeaders({200, type}, header);
  header.set("Connection", "close");
  for (const auto& [name, value] : headers) header.set(name, value);
  std::string text = "HTTP/1.1 200 OK\r\n";
  for (const auto& field : header) {
    text += std::string(field.name_string()) + ": " +
            std::string(field.value()) + "\r\n";
  }
  waiting_ = text + "\r\n" + std::move(more);
  WriteNext();
  WatchForEnd();
}

void Server::Impl::Session::Send(const std::string& text) {
  if (!is_viewer_ || is_closed_) return;
  waiting_ = text;
  if (on_its_way_.empty()) WriteNext();
}

void Server::Impl::Session::Beat() {
  if (!is_viewer_ || is_closed_) return;
  if (on_its_way_.empty()) return Send(": still here\n\n");
  if (++beats_in_flight_ > 2) Close();  // It takes nothing any more.
}

void Server::Impl::Session::WriteNext() {
  on_its_way_ = std::exchange(waiting_, {});
  beats_in_flight_ = 0;
  CloseAfter(kAnswerTime);
  asio::async_write(
      stream_, asio::buffer(on_its_way_),
      [self = shared_from_this()](const error_code& error, std::size_t) {
        if (self->is_closed_) return;
        if (error) return self->Close();
        self->deadline_.cancel();
        self->on_its_way_.clear();
        if (!self->waiting_.empty()) return self->WriteNext();
        if (self->is_told_) self->EndTelling();
      });
}

void Server::Impl::Session::WatchForEnd() {
  stream_.async_read_some(
      asio::buffer(scrap_),
      [self = shared_from_this()](const error_code& error, std::size_t) {
        if (self->is_closed_) return;
        if (error) return self->Close();
        self->WatchForEnd();
      });
}

void Server::Impl::Session::Close() {
  is_closed_ = true;
  *is_gone_ = true;
  deadline_.cancel();
  error_code ignored;
  stream_.socket().close(ignored);
  server_.sessions_.erase(shared_from_this());
}

template <class Endpoint>
error_code Server::Impl::Open(const Endpoint& endpoint, int protocol) {
  error_code error;
  auto acceptor = std::make_unique<Acceptor>(context_);
  acceptor->open(Protocol(endpoint.protocol().family(), protocol), error);
  if (error) return error;
  if (protocol != 0) {
    acceptor->set_option(asio::socket_base::reuse_address(true), error);
  }
  if (endpoint.protocol().family() == AF_INET6) {
    acceptor->set_option(asio::ip::v6_only(true), error);
  }
  acceptor->bind(Protocol::endpoint(endpoint), error);
  if (error) return error;
  acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptors_.push_back(std::move(acceptor));
  return error;
}

Result<void> Server::Impl::ListenOn(const std::string& address,
                                    std::uint16_t port) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error) {
    return Fail(Errc::kUsage,
                "'" + address + "' is no address: give one as 192.0.2.1");
  }
  error = Open(asio::ip::tcp::endpoint(parsed, port), IPPROTO_TCP);
  if (!error) return {};
  const std::string where = address + ":" + std::to_string(port);
  if (error == asio::error::address_in_use) {
    return Fail(Errc::kBusy, where +
                                 ": taken by another program: give another "
                                 "--port, or 0 for any that is free");
  }
  return Fail(Errc::kIo, where + ": " + error.message());
}

Result<void> Server::Impl::ListenAt(const std::filesystem::path& socket) {
  struct stat status {};
  if (::lstat(socket.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
    // A server that was killed left it, unless somebody answers.
    Protocol::socket probe(context_);
    error_code error;
    probe.connect(asio::local::stream_protocol::endpoint(socket.string()),
                  error);
    if (!error) {
      return Fail(Errc::kBusy, socket.string() + ": a server listens there");
    }
    ::unlink(socket.c_str());
  }
  if (::lstat(socket.c_str(), &status) == 0) {
    return Fail(Errc::kUsage, socket.string() +
                                  ": is there already, and is no socket: give "
                                  "another path");
  }
  if (socket.string().size() > 107) {
    return Fail(Errc::kUsage, socket.string() +
                                  ": too long a path for a socket, 107 bytes "
                                  "at most");
  }
  const mode_t before = ::umask(0177);
  const error_code error =
      Open(asio::local::stream_protocol::endpoint(socket.string()), 0);
  ::umask(before);
  if (error) return Fail(Errc::kIo, socket.string() + ": " + error.message());
  socket_ = socket;
  return {};
}

Result<void> Server::Impl::Listen(const Place& place) {
  if (!place.socket.empty()) {
    door_.port = 0;
    return ListenAt(place.socket);
  }
  const bool is_default = place.addresses.empty();
  std::uint16_t port = place.port;
  for (const std::string& address :
       is_default ? std::vector<std::string>{"127.0.0.1"} : place.addresses) {
    TRY_DONE(ListenOn(address, port));
    const auto bound = acceptors_.back()->local_endpoint();
    port = ntohs(
        bound.data()->sa_family == AF_INET6
            ? reinterpret_cast<const sockaddr_in6*>(bound.data())->sin6_port
            : reinterpret_cast<const sockaddr_in*>(bound.data())->sin_port);
  }
  // Where there is no such address, or another has its port, one is enough.
  if (is_default) (void)ListenOn("::1", port);
  door_.port = port;
  return {};
}

void Server::Impl::Accept(Acceptor& acceptor) {
  acceptor.async_accept(
      [this, &acceptor](const error_code& error, Protocol::socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error && MakePlace()) {
          const auto session =
              std::make_shared<Session>(*this, std::move(socket), ++accepted_);
          sessions_.insert(session);
          session->Read();
        }
        if (!error) return Accept(acceptor);
        // No descriptors are left: others are closed meanwhile.
        const auto pause = std::make_shared<asio::steady_timer>(
            context_, std::chrono::milliseconds(50));
        pause->async_wait([this, &acceptor, pause](const error_code& aborted) {
          if (!aborted) Accept(acceptor);
        });
      });
}

// Whether one more may come: if need be, the oldest stranger goes.
bool Server::Impl::MakePlace() {
  if (static_cast<int>(sessions_.size()) < limits_.connections) return true;
  std::shared_ptr<Session> oldest;
  for (const auto& session : sessions_) {
    if (session->is_trusted()) continue;
    if (!oldest || session->number() < oldest->number()) oldest = session;
  }
  if (oldest) oldest->Close();
  return oldest != nullptr;
}

void Server::Impl::Beat() {
  heartbeat_.expires_after(Milliseconds(limits_.heartbeat_s));
  heartbeat_.async_wait([this](const error_code& error) {
    if (error) return;
    const auto sessions = sessions_;
    for (const auto& session : sessions) session->Beat();
    Beat();
  });
}

void Server::Impl::Run() {
  for (const auto& acceptor : acceptors_) Accept(*acceptor);
  Beat();
  thread_ = std::thread([this] { context_.run(); });
}

void Server::Impl::Stop() {
  if (thread_.joinable()) {
    asio::post(context_, [this] {
      for (const auto& acceptor : acceptors_) acceptor->close();
      heartbeat_.cancel();
      const auto sessions = sessions_;
      for (const auto& session : sessions) session->Close();
      context_.stop();
    });
    thread_.join();
  }
  tellers_.Join();
  pool_.join();
  if (!socket_.empty()) ::unlink(socket_.c_str());
}

void Server::Impl::Publish(std::string text) {
  asio::post(context_, [this, text = std::move(text)]() mutable {
    last_ = "id: " + std::to_string(++published_) + "\n" + text;
    const auto sessions = sessions_;
    for (const auto& session : sessions) session->Send(last_);
  });
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { impl_->Stop(); }
std::uint16_t Server::port() const { return impl_->port(); }

void Server::Publish(std::string_view event, std::string_view data) {
  std::string text = "event: " + std::string(event) + "\n";
  text += "data: " + std::string(data) + "\n\n";
  impl_->Publish(std::move(text));
}

Result<std::unique_ptr<Server>> Server::Start(const Place& place, Door door,
                                              Handler handler,
                                              ServerLimits limits) {
  auto impl =
      std::make_unique<Impl>(std::move(door), std::move(handler), limits);
  TRY_DONE(impl->Listen(place));
  impl->Run();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

}  // namespace coppice::http
