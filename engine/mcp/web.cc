#include "engine/mcp/web.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "engine/mcp/outgoing.h"

namespace coppice::mcp {
namespace {

constexpr std::size_t kMostClients = 64;
constexpr std::chrono::milliseconds kTick{100};

http::Answer JsonAnswer(int status, std::string line) {
  return {status, "application/json", std::move(line)};
}

// The status of an error that a modern client is answered with.
int StatusOf(int error) {
  switch (error) {
    case 0:
      return 200;
    case kMethodNotFound:
      return 404;
    case kInternalError:
      return 500;
    default:
      return 400;
  }
}

http::Answer Refuse(int status, int code, std::string message,
                    const std::string& id = "") {
  return JsonAnswer(status, ErrorLine({code, std::move(message), id}));
}

std::optional<int> SextetOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return std::nullopt;
}

// A header's value: "=?base64?YQ==?=" is "a" (the protocol's "value encoding").
std::string HeaderText(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
      value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  value =
      value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size());
  std::string text;
  unsigned bits = 0;
  int count = 0;
  for (const char c : value) {
    const auto sextet = SextetOf(c);
    if (!sextet) break;  // '=' fills up; what else there is differs anyway.
    bits = (bits << 6U) | static_cast<unsigned>(*sextet);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    text += static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xFFU);
  }
  return text;
}

// What is wrong with the headers of a modern request; empty: nothing.
std::string HeaderMistake(const http::Request& request,
                          const Incoming& message) {
  struct Expected {
    const char* header;
    std::string value;
  };
  const bool is_named = message.method == "tools/call" ||
                        message.method == "prompts/get" ||
                        message.method == "resources/read";
  const Expected expected[] = {
      {"mcp-protocol-version", message.version.value_or("")},
      {"mcp-method", message.method},
      {"mcp-name",
       message.method == "resources/read" ? message.uri : message.name}};
  for (const auto& [header, value] : expected) {
    if (!is_named && std::string_view(header) == "mcp-name") continue;
    const auto found = request.headers.find(header);
    if (found == request.headers.end()) {
      return std::string(header) + ": is missing";
    }
    if (HeaderText(found->second) != value) {
      return std::string(header) + ": is not what the body says";
    }
  }
  return "";
}

std::string Event(const std::string& line) { return "data: " + line + "\n\n"; }

}  // namespace

Web::Web(const Terms& terms, const engine::Clock& clock,
         std::function<std::string()> fresh)
    : terms_(terms),
      clock_(clock),
      fresh_(std::move(fresh)),
      nobodys_(std::make_shared<Session>(terms, clock, "")) {}

http::Answer Web::Answer(const http::Request& request) {
  if (request.path != kEndpoint) {
    return http::Refusal(404, "nothing here: the endpoint is /mcp");
  }
  if (request.method == "DELETE") return Delete(request);
  if (request.method != "POST") {
    http::Answer answer = http::Refusal(405, "send messages by POST");
    answer.headers = {{"Allow", "POST, DELETE"}};
    return answer;
  }
  const auto message = ReadMessage(request.body);
  if (!message) return JsonAnswer(400, ErrorLine(message.error()));
  return message->IsModern() ? AnswerModern(request, *message)
                             : AnswerLegacy(request, *message);
}

http::Answer Web::AnswerModern(const http::Request& request,
                               const Incoming& message) {
  if (message.IsNotification()) return {202, "application/json", ""};
  if (std::string why = HeaderMistake(request, message); !why.empty()) {
    return Refuse(400, kHeaderMismatch, "header mismatch: " + why, message.id);
  }
  // Its own: another's request may have the same id.
  const auto session =
      std::make_shared<Session>(terms_, clock_, message.client);
  MessageOutcome outcome = session->Take(message);
  if (outcome.work) return Stream(session, message, std::move(outcome));
  return JsonAnswer(StatusOf(outcome.error), std::move(outcome.line));
}

http::Answer Web::AnswerLegacy(const http::Request& request,
                               const Incoming& message) {
  const std::string_view version = request.Header("mcp-protocol-version");
  if (!version.empty() && !IsLegacyVersion(version)) {
    return Refuse(400, kInvalidRequest,
                  "mcp-protocol-version: no such version here, or its _meta "
                  "is missing",
                  message.id);
  }
  if (message.method == "initialize") {
    const std::string name = fresh_();
    http::Answer answer = AnswerOf(Begin(name), message);
    answer.headers.emplace_back("Mcp-Session-Id", name);
    return answer;
  }
  const std::string_view name = request.Header("mcp-session-id");
  const auto session = name.empty() ? nobodys_ : Find(name);
  if (session == nullptr) {
    return Refuse(404, kInvalidRequest, "no such session: initialize again",
                  message.id);
  }
  return AnswerOf(session, message);
}

http::Answer Web::AnswerOf(const std::shared_ptr<Session>& session,
                           const Incoming& message) {
  MessageOutcome outcome = session->Take(message);
  if (outcome.work) return Stream(session, message, std::move(outcome));
  if (message.IsNotification()) return {202, "application/json", ""};
  return JsonAnswer(200, std::move(outcome.line));
}

// Dropped with the stream, whether that was told or not.
class Web::Stay {
 public:
  explicit Stay(std::atomic<std::size_t>& streams) : streams_(streams) {
    is_one_too_many_ = streams_.fetch_add(1) >= kMostInFlight;
  }
  ~Stay() { streams_.fetch_sub(1); }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;

  bool IsOneTooMany() const { return is_one_too_many_; }

 private:
  std::atomic<std::size_t>& streams_;
  bool is_one_too_many_;
};

http::Answer Web::Stream(const std::shared_ptr<Session>& session,
                         const Incoming& message, MessageOutcome outcome) {
  const auto stay = std::make_shared<Stay>(streams_);
  if (stay->IsOneTooMany() || is_over_) {
    http::Answer answer =
        Refuse(429, kInternalError, "64 requests are under way: ask again",
               message.id);
    answer.headers = {{"Retry-After", "5"}};
    return answer;
  }
  http::Answer answer{200, "text/event-stream"};
  answer.headers = {{"X-Accel-Buffering", "no"}};
  const bool ends_with_connection = message.IsModern();
  answer.pieces = [this, session, stay, id = message.id, ends_with_connection,
                   work = std::move(outcome.work)](
                      const http::Tell& tell,
                      const std::atomic<bool>& is_gone) {
    std::mutex mutex;
    std::condition_variable_any never;
    const std::jthread watcher([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      while (!stop.stop_requested()) {
        never.wait_for(lock, stop, kTick, [] { return false; });
        if (is_over_ || (is_gone && ends_with_connection)) session->Cancel(id);
        session->Tick();
      }
    });
    const std::string line =
        work([&](const std::string& told) { tell(Event(told)); });
    if (!line.empty()) tell(Event(line));
  };
  return answer;
}

http::Answer Web::Delete(const http::Request& request) {
  const auto session = Find(request.Header("mcp-session-id"));
  if (session == nullptr) return http::Refusal(404, "no such session");
  session->CancelAll();
  const std::lock_guard lock(mutex_);
  std::erase_if(clients_, [&](const Client& client) {
    return client.session == session;
  });
  return {200, "application/json", "{}"};
}

std::shared_ptr<Session> Web::Begin(const std::string& name) {
  auto session = std::make_shared<Session>(terms_, clock_, name);
  const std::lock_guard lock(mutex_);
  clients_.push_front({name, session});
  if (clients_.size() > kMostClients) clients_.pop_back();
  return session;
}

std::shared_ptr<Session> Web::Find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(clients_, name, &Client::name);
  if (found == clients_.end()) return nullptr;
  clients_.splice(clients_.begin(), clients_, found);
  return clients_.front().session;
}

}  // namespace coppice::mcp
