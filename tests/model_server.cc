#include "tests/model_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "store/records/hash.h"

namespace coppice {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

constexpr std::string_view kRole = "# Your role: ";
constexpr std::string_view kBegin = "<<<IMPROVE BEGIN>>>";
constexpr std::string_view kEnd = "<<<IMPROVE END>>>";
constexpr std::size_t kPieces = 5;  // A streamed answer comes in so many.

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The fenced source to work on: of the role's own words if they show one, else
// of the latest attempt, which may be the root.
std::vector<std::string> SourceOf(const std::string& user) {
  for (const std::string_view heading :
       {kRole, "# Latest attempt (node"sv, "# Source to speed up"sv}) {
    const std::size_t section = user.find(heading);
    if (section == std::string::npos) continue;
    const std::size_t head = user.find("\nsim ", section);
    if (head == std::string::npos) continue;
    const std::size_t start = head + 1;
    return Lines(std::string_view(user).substr(
        start, user.find("\n```", start) - start));
  }
  return {};
}

bool IsSetting(const std::string& line) {
  return !line.empty() && std::isalpha(static_cast<unsigned char>(line[0])) &&
         !line.starts_with("sim ");
}

std::string Marked(std::vector<std::string> lines, std::uint64_t which) {
  std::vector<std::size_t> settings;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (IsSetting(lines[i])) settings.push_back(i);
  }
  std::string text = "Technique: one step\nOne step further.\n```\n";
  const std::size_t at =
      settings.empty() ? lines.size() : settings[which % settings.size()];
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == at) text += "# " + std::string(kBegin) + "\n";
    text += lines[i] + "\n";
    if (i == at) text += "# " + std::string(kEnd) + "\n";
  }
  return text + "```\n";
}

// One step further on the marked lines, round at the end of the shortest
// range (0 to 3); bugs are gone.
std::string Written(const std::vector<std::string>& lines) {
  std::string text = "Done.\n```\n";
  bool is_marked = false;
  for (std::string line : lines) {
    if (line.find(kBegin) != std::string::npos) {
      is_marked = true;
      continue;
    }
    if (line.find(kEnd) != std::string::npos) {
      is_marked = false;
      continue;
    }
    if (IsSetting(line)) {
      std::istringstream in(line);
      std::string name;
      int value = 0;
      in >> name >> value;
      line = name + " " + std::to_string(is_marked ? (value + 1) % 4 : value);
    }
    text += line + "\n";
  }
  return text + "```\n";
}

std::string HeaderOf(const std::string& request, std::string_view name) {
  const std::string head = request.substr(0, request.find("\r\n\r\n"));
  for (std::string line : Lines(head)) {
    const std::size_t colon = line.find(':');
    if (colon != name.size()) continue;
    const bool same =
        std::equal(name.begin(), name.end(), line.begin(), [](char a, char b) {
          return std::tolower(static_cast<unsigned char>(a)) ==
                 std::tolower(static_cast<unsigned char>(b));
        });
    if (!same) continue;
    std::string value = line.substr(colon + 1);
    std::erase_if(value, [](char c) { return c == ' ' || c == '\r'; });
    return value;
  }
  return "";
}

// The text of the last message.
std::string UserText(const Json& body) {
  const Json& content = body.at("messages").back().at("content");
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  for (const Json& part : content) text += part.value("text", "");
  return text;
}

std::string Status(int status, const std::string& headers = "") {
  return "HTTP/1.1 " + std::to_string(status) +
         " Simulated\r\nConnection: close\r\n" + headers;
}

std::string Whole(int status, const Json& body,
                  const std::string& headers = "") {
  const std::string text = body.dump();
  return Status(status, headers) +
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

std::string Chunk(const std::string& text) {
  std::ostringstream size;
  size << std::hex << text.size();
  return size.str() + "\r\n" + text + "\r\n";
}

// An event of a stream, as a chunk of the body.
std::string Event(const Json& data, const std::string& name = "") {
  return Chunk((name.empty() ? "" : "event: " + name + "\n") +
               "data: " + data.dump() + "\n\n");
}

Json ErrorBody(const std::string& type, const std::string& message) {
  return {{"type", "error"},
          {"error", {{"type", type}, {"message", message}, {"code", type}}}};
}

// An answer on its way: what is sent at once, in order.
using CampaignParts = std::vector<std::string>;

std::vector<std::string> Pieces(const std::string& text) {
  std::vector<std::string> pieces;
  const std::size_t each = text.size() / kPieces + 1;
  for (std::size_t at = 0; at < text.size(); at += each) {
    pieces.push_back(text.substr(at, each));
  }
  return pieces;
}

Json ChatUsage(const ServedCall& call) {
  return {{"prompt_tokens", call.input_tokens},
          {"completion_tokens", call.output_tokens},
          {"total_tokens", call.input_tokens + call.output_tokens}};
}

CampaignParts ChatStream(const std::string& text, const ServedCall& call) {
  const auto chunk = [](Json choices, Json usage) {
    return Event({{"id", "chatcmpl-1"},
                  {"object", "chat.completion.chunk"},
                  {"created", 1},
                  {"model", "simulated"},
                  {"choices", std::move(choices)},
                  {"usage", std::move(usage)}});
  };
  CampaignParts parts;
  for (const std::string& piece : Pieces(text)) {
    parts.push_back(chunk({{{"index", 0},
                            {"delta", {{"content", piece}}},
                            {"finish_reason", nullptr}}},
                          nullptr));
  }
  parts.push_back(chunk(
      {{{"index", 0}, {"delta", Json::object()}, {"finish_reason", "stop"}}},
      nullptr));
  parts.push_back(chunk(Json::array(), ChatUsage(call)));
  parts.push_back(Chunk("data: [DONE]\n\n"));
  return parts;
}

Json ChatBody(const std::string& text, const ServedCall& call) {
  return {{"id", "chatcmpl-1"},
          {"object", "chat.completion"},
          {"created", 1},
          {"model", "simulated"},
          {"choices",
           {{{"index", 0},
             {"message", {{"role", "assistant"}, {"content", text}}},
             {"finish_reason", "stop"}}}},
          {"usage", ChatUsage(call)}};
}

Json MessagesBody(const std::string& text, const ServedCall& call) {
  return {{"id", "msg_1"},
          {"type", "message"},
          {"role", "assistant"},
          {"model", "simulated"},
          {"content", {{{"type", "text"}, {"text", text}}}},
          {"stop_reason", "end_turn"},
          {"usage",
           {{"input_tokens", call.input_tokens},
            {"output_tokens", call.output_tokens}}}};
}

CampaignParts MessagesStream(const std::string& text, const ServedCall& call) {
  Json message = MessagesBody("", call);
  message["content"] = Json::array();
  message["stop_reason"] = nullptr;
  message["usage"]["output_tokens"] = 1;
  CampaignParts parts = {
      Event({{"type", "message_start"}, {"message", message}}, "message_start"),
      Event({{"type", "content_block_start"},
             {"index", 0},
             {"content_block", {{"type", "text"}, {"text", ""}}}},
            "content_block_start")};
  for (const std::string& piece : Pieces(text)) {
    parts.push_back(
        Event({{"type", "content_block_delta"},
               {"index", 0},
               {"delta", {{"type", "text_delta"}, {"text", piece}}}},
              "content_block_delta"));
  }
  parts.push_back(Event({{"type", "content_block_stop"}, {"index", 0}},
                        "content_block_stop"));
  parts.push_back(Event({{"type", "message_delta"},
                         {"delta", {{"stop_reason", "end_turn"}}},
                         {"usage", {{"output_tokens", call.output_tokens}}}},
                        "message_delta"));
  parts.push_back(Event({{"type", "message_stop"}}, "message_stop"));
  return parts;
}

bool Send(int fd, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n =
        send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

std::string Page(int status) {
  const std::string text = "<html><body>Gateway</body></html>";
  return Status(status) + "Content-Type: text/html\r\nContent-Length: " +
         std::to_string(text.size()) + "\r\n\r\n" + text;
}

// The same length, with a brace where a quote should be.
void Damage(CampaignParts& parts) {
  std::string& part = parts[parts.size() / 2];
  part[part.rfind('"')] = '{';
}

void Reset(int fd) {
  const linger at_once{1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

}  // namespace

std::string SimulatedAnswer(const std::string& user) {
  const bool is_plan =
      user.find(std::string(kRole) + "planner") != std::string::npos;
  return is_plan ? Marked(SourceOf(user), Fnv1a(user))
                 : Written(SourceOf(user));
}

ModelServer::ModelServer(ModelServerOptions options)
    : options_(options), draws_(options.seed, Purpose::kSimulation, 0) {
  if (!Open() || pipe2(stop_, O_CLOEXEC) != 0) std::abort();
  listening_ = std::thread([this] { Listen(); });
}

// At any port the first time, and at the same later.
bool ModelServer::Open() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int yes = 1;
  if (listener_ < 0 ||
      setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener_, generic, size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, generic, &size) != 0) {
    return false;
  }
  port_ = ntohs(address.sin_port);
  return true;
}

ModelServer::~ModelServer() {
  close(stop_[1]);  // The other end reads end of file.
  listening_.join();
  for (std::thread& connection : connections_) connection.join();
  close(stop_[0]);
  close(listener_);
}

std::string ModelServer::Url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
}

std::vector<ServedCall> ModelServer::Calls() const {
  const std::scoped_lock lock(mutex_);
  return {calls_.begin(), calls_.end()};
}

// Waits until the client has had enough.
void ModelServer::AwaitGoing(int fd) const {
  pollfd polled[] = {{stop_[0], POLLIN, 0}, {fd, POLLIN | POLLRDHUP, 0}};
  poll(polled, 2, -1);
}

bool ModelServer::Wait(std::chrono::milliseconds time) const {
  pollfd polled{stop_[0], POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(time.count())) == 0;
}

void ModelServer::Listen() {
  while (true) {
    pollfd polled[] = {{stop_[0], POLLIN, 0}, {listener_, POLLIN, 0}};
    poll(polled, 2, -1);
    if (polled[0].revents != 0) return;
    if (refuses_.exchange(false)) {
      close(listener_);  // Whoever waits to be let in is sent away, too.
      Wait(50ms);
      if (!Open()) std::abort();
      continue;
    }
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const timeval patience{5, 0};  // With who was killed while asking.
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connections_.emplace_back([this, fd] { Serve(fd); });
  }
}

// Null: it is no whole request.
ServedCall* ModelServer::Enter(const std::string& request) {
  const std::size_t end = request.find("\r\n\r\n");
  const std::string length = HeaderOf(request, "Content-Length");
  if (end == std::string::npos || length.empty() ||
      request.size() - end - 4 < std::stoul(length)) {
    return nullptr;
  }
  ServedCall call;
  call.name = HeaderOf(request, "X-Client-Request-Id");
  call.body = request.substr(end + 4);
  const std::scoped_lock lock(mutex_);
  if (draws_.Uniform() < options_.misbehaves) {
    const int kind = misbehaved_++ % (options_.kinds - 1);
    call.misbehaviour = static_cast<Misbehaviour>(1 + kind);
  }
  calls_.push_back(std::move(call));
  return &calls_.back();
}

void ModelServer::Serve(int fd) {
  std::string request;
  ServedCall* call = nullptr;
  char buffer[65536];
  while (call == nullptr) {
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    request.append(buffer, static_cast<std::size_t>(got));
    call = Enter(request);
  }
  if (call != nullptr && Wait(options_.latency)) {
    const bool is_messages =
        request.substr(0, request.find('\r')).find("/messages") !=
        std::string::npos;
    Answer(fd, *call, is_messages);
  }
  close(fd);
}

void ModelServer::Answer(int fd, ServedCall& call, bool is_messages) {
  const Json body = Json::parse(call.body);
  const std::string text = SimulatedAnswer(UserText(body));
  ServedCall answered = call;
  answered.input_tokens = static_cast<std::int64_t>(call.body.size() / 4);
  answered.output_tokens = static_cast<std::int64_t>(text.size() / 4);
  CampaignParts parts;
  const std::string whole =
      (is_messages ? MessagesBody(text, answered) : ChatBody(text, answered))
          .dump();
  const bool is_streamed = body.value("stream", false);
  if (is_streamed) {
    parts = is_messages ? MessagesStream(text, answered)
                        : ChatStream(text, answered);
    parts.insert(parts.begin(), Status(200,
                                       "Content-Type: text/event-stream\r\n"
                                       "Transfer-Encoding: chunked\r\n\r\n"));
    parts.push_back("0\r\n\r\n");
  } else {
    const std::string all =
        Whole(200, is_messages ? MessagesBody(text, answered)
                               : ChatBody(text, answered));
    parts = {all.substr(0, all.size() / 2), all.substr(all.size() / 2)};
  }
  switch (call.misbehaviour) {
    case Misbehaviour::kNone:
    case Misbehaviour::kIsSlow:
      break;
    case Misbehaviour::kThrottles:
      parts = {Whole(429, ErrorBody("rate_limit_error", "too many requests"),
                     "Retry-After: 0\r\n")};
      break;
    case Misbehaviour::kFails:
      parts = {Whole(500, ErrorBody("api_error", "internal error"))};
      break;
    case Misbehaviour::kIsOverloaded:
      parts = {Whole(is_messages ? 529 : 503,
                     ErrorBody("overloaded_error", "overloaded"))};
      break;
    case Misbehaviour::kStopsShort:
      parts.resize(parts.size() / 2);
      break;
    case Misbehaviour::kErrsInside: {
      const Json error = ErrorBody("overloaded_error", "overloaded");
      if (is_streamed) {
        parts.resize(parts.size() / 2);
        parts.push_back(Event(error, is_messages ? "error" : ""));
        parts.push_back("0\r\n\r\n");
      } else {
        parts = {Whole(200, error)};
      }
      break;
    }
    case Misbehaviour::kRefuses:
      refuses_ = true;
      [[fallthrough]];
    case Misbehaviour::kResets:
      Reset(fd);
      return;
    case Misbehaviour::kThrottlesLong:
      parts = {Whole(429, ErrorBody("rate_limit_error", "too many requests"),
                     "Retry-After: 1\r\n")};
      break;
    case Misbehaviour::kThrottlesOnly:
      parts = {Whole(429, ErrorBody("rate_limit_error", "too many requests"))};
      break;
    case Misbehaviour::kIsAway:
      parts = {Page(502)};
      break;
    case Misbehaviour::kIsEmpty:
      parts = {Status(200,
                      "Content-Type: application/json\r\n"
                      "Content-Length: 0\r\n\r\n")};
      break;
    case Misbehaviour::kIsPage:
      parts = {Page(200)};
      break;
    case Misbehaviour::kIsNoJson:
      Damage(parts);
      break;
    case Misbehaviour::kEndsEarly:
      // A stream lacks all that says it is over, a whole answer its end.
      parts = is_streamed ? CampaignParts(parts.begin(), parts.begin() + 3)
                          : CampaignParts{parts[0]};
      if (is_streamed) parts.push_back("0\r\n\r\n");
      break;
    case Misbehaviour::kIsTooLong:
      parts = {Status(200,
                      "Content-Type: application/json\r\n"
                      "Content-Length: 20\r\n\r\n"),
               whole};
      break;
    case Misbehaviour::kIsTooShort:
      parts = {Status(200,
                      "Content-Type: application/json\r\n"
                      "Content-Length: 99999999\r\n\r\n"),
               whole};
      break;
    case Misbehaviour::kResetsLate:
      Send(fd, parts[0]);
      Wait(10ms);  // Else it is as if there had been none.
      Reset(fd);
      return;
    case Misbehaviour::kStalls:
      for (std::size_t i = 0; i < parts.size() / 2; ++i) Send(fd, parts[i]);
      [[fallthrough]];
    case Misbehaviour::kHangs:
      AwaitGoing(fd);
      return;
  }
  bool all_sent = true;
  for (std::size_t i = 0; i < parts.size() && all_sent; ++i) {
    const bool pauses =
        call.misbehaviour == Misbehaviour::kIsSlow && i == parts.size() / 2;
    all_sent = Wait(pauses ? 50ms : 0ms) && Send(fd, parts[i]);
  }
  const bool is_answer = call.misbehaviour == Misbehaviour::kNone ||
                         call.misbehaviour == Misbehaviour::kIsSlow;
  const std::scoped_lock lock(mutex_);
  if (all_sent && is_answer) {
    answered.is_answered = true;
    call = answered;
  }
}

}  // namespace coppice
