#include "engine/service/stdio_front.h"

#include <condition_variable>
#include <deque>
#include <istream>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "engine/documents/document.h"
#include "engine/documents/or_null.h"
#include "engine/process/version.h"
#include "engine/service/error_json.h"
#include "engine/service/json.h"
#include "engine/service/operation.h"

namespace coppice::service {
namespace {

constexpr std::size_t kMostLine = 8 << 20;
constexpr int kMostDepthOfLine = 12;
constexpr std::size_t kMostThreads = 128;     // Requests at work at a time.
constexpr std::size_t kMostWaiting = 65'536;  // Others that were read.

constexpr int kNotARequest = -32600;
constexpr int kNoSuchMethod = -32601;
constexpr int kNoJson = -32700;

enum class Line : std::uint8_t { kRead, kTooLong, kEnd };

Line ReadLine(std::istream& in, std::string& line) {
  std::streambuf& buffer = *in.rdbuf();
  line.clear();
  bool is_long = false;
  for (int c = buffer.sbumpc();; c = buffer.sbumpc()) {
    const bool is_end = c == std::streambuf::traits_type::eof();
    if (is_end && line.empty() && !is_long) return Line::kEnd;
    if (is_end || c == '\n') return is_long ? Line::kTooLong : Line::kRead;
    is_long |= line.size() == kMostLine;
    if (!is_long) line.push_back(static_cast<char>(c));
  }
}

std::string Greeting() {
  return cli::LineOf(
      {{"protocol", kLinesProtocol},
       {"program", "coppice"},
       {"version", engine::Release()},
       {"operations", cli::ArrayOf(Operations(), &Operation::name)}});
}

// A request that is waited for.
struct Pending {
  std::string id;  // As JSON.
  const Operation* operation = nullptr;
  std::string params;
  std::stop_source stop{};

  std::size_t Bytes() const { return id.size() + params.size(); }
};

class LineServer {
 public:
  LineServer(Service& service, std::ostream& out, std::size_t most_held)
      : service_(service), most_held_(most_held), out_(out) {}
  ~LineServer() { End(); }

  void Take(const std::string& line);
  void Refuse(int code, std::string_view what) { Fault("null", code, what); }
  bool IsBroken();

 private:
  void Begin(const std::string& id, const std::string& method,
             const Json& message);
  void Cancel(const Json& message);
  void Enter(std::shared_ptr<Pending> pending);
  void Work();
  void Serve(const Pending& pending);
  void End();

  void Write(const std::string& id, std::string_view key,
             std::string_view value);
  void Fault(const std::string& id, int code, std::string_view what) {
    Write(id, "error", ErrorJson(code, what));
  }
  // Nothing after `stop`: the caller may use its id again.
  void Put(const std::string& line, const std::stop_token& stop);
  void Tell(const Pending& pending, const OperationProgress& progress);
  void Answer(const Pending& pending, const Result<std::string>& answer);

  Service& service_;
  const std::size_t most_held_;  // Bytes of requests under way.
  std::mutex writing_;
  std::ostream& out_;
  bool is_broken_ = false;

  std::mutex mutex_;
  std::condition_variable came_;
  bool is_ending_ = false;
  std::size_t idle_ = 0;
  std::deque<std::shared_ptr<Pending>> waiting_;
  std::size_t held_ = 0;  // Bytes of those, and of those at work.
  std::map<std::string, std::shared_ptr<Pending>> by_id_;
  std::vector<std::jthread> threads_;
};

bool LineServer::IsBroken() {
  const std::lock_guard lock(writing_);
  return is_broken_;
}

void LineServer::Write(const std::string& id, std::string_view key,
                       std::string_view value) {
  std::string line = R"({"jsonrpc":"2.0","id":)" + id + ",\"";
  Put(line.append(key).append("\":").append(value).append("}"), {});
}

void LineServer::Put(const std::string& line, const std::stop_token& stop) {
  const std::lock_guard lock(writing_);
  if (stop.stop_requested()) return;
  out_ << line << '\n' << std::flush;
  is_broken_ |= !out_;
}

void LineServer::Take(const std::string& line) {
  if (line.find_first_not_of(" \t\r") == std::string::npos) return;
  bool is_deep = false;
  const auto look = [&](int depth, Json::parse_event_t, Json&) {
    is_deep |= depth > kMostDepthOfLine;
    return depth <= kMostDepthOfLine;
  };
  const Json message = Json::parse(line, look, false);
  if (message.is_discarded()) return Fault("null", kNoJson, "no JSON");
  if (!message.is_object()) {
    return Fault("null", kNotARequest, "no request: send one JSON object");
  }
  const auto id = message.find("id");
  const bool has_id = id != message.end();
  const bool is_id = has_id && (id->is_string() || id->is_number_integer());
  if (is_deep) {
    return Fault(is_id ? cli::LineOf(*id) : "null", kNotARequest,
                 "no request: values lie too deep within each other");
  }
  const auto method = message.find("method");
  if ((has_id && !is_id) || message.value("jsonrpc", Json()) != "2.0" ||
      method == message.end() || !method->is_string()) {
    return Fault(is_id ? cli::LineOf(*id) : "null", kNotARequest,
                 "no request of JSON-RPC 2.0: needs jsonrpc, id (a text or a "
                 "whole number) and method");
  }
  if (is_id) {
    Begin(cli::LineOf(*id), method->get<std::string>(), message);
  } else if (*method == "cancel") {
    Cancel(message);
  }  // There are no other notices.
}

void LineServer::Begin(const std::string& id, const std::string& method,
                       const Json& message) {
  const auto params = message.find("params");
  const bool has_params = params != message.end();
  if (has_params && !params->is_object()) {
    return Fault(id, kNotARequest, "params: expected an object");
  }
  if (method == "hello") {
    const bool is_ours = !has_params || !params->contains("protocol") ||
                         (*params)["protocol"] == kLinesProtocol;
    if (!is_ours) {
      return Fault(id, kNotARequest,
                   "protocol: this service speaks coppice-service/1 alone");
    }
    return Write(id, "result", Greeting());
  }
  const Operation* operation = FindOperation(method);
  if (operation == nullptr) {
    return Fault(id, kNoSuchMethod,
                 "there is no operation '" + method.substr(0, 64) +
                     "'; hello lists them");
  }
  auto pending = std::make_shared<Pending>();
  pending->id = id;
  pending->operation = operation;
  if (has_params) pending->params = cli::LineOf(*params);
  Enter(std::move(pending));
}

void LineServer::Enter(std::shared_ptr<Pending> pending) {
  std::unique_lock lock(mutex_);
  const bool is_used = by_id_.contains(pending->id);
  const bool is_many = waiting_.size() >= kMostWaiting;
  const bool is_large = held_ + pending->Bytes() > most_held_;
  if (is_used || is_many || is_large) {
    lock.unlock();
    if (is_used) {
      return Fault(pending->id, kNotARequest,
                   "id: another request under way has it");
    }
    return Write(
        pending->id, "error",
        ErrorJson({Errc::kBusy,
                   is_many
                       ? "65,536 requests wait already"
                       : "more bytes of requests are under way than may be"}));
  }
  held_ += pending->Bytes();
  by_id_[pending->id] = pending;
  waiting_.push_back(std::move(pending));
  if (idle_ < waiting_.size() && threads_.size() < kMostThreads) {
    threads_.emplace_back([this] { Work(); });
  }
  came_.notify_one();
}

void LineServer::Cancel(const Json& message) {
  const auto params = message.find("params");
  if (params == message.end() || !params->is_object()) return;
  const auto id = params->find("id");
  if (id == params->end()) return;
  std::shared_ptr<Pending> pending;
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(cli::LineOf(*id));
    if (found == by_id_.end()) return;  // It was answered meanwhile.
    pending = found->second;
    by_id_.erase(found);
  }
  // Not under writing_: who reads must not wait for what is to be read.
  pending->stop.request_stop();
}

void LineServer::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty()) {
      if (is_ending_) return;
      ++idle_;
      came_.wait(lock);
      --idle_;
      continue;
    }
    const std::shared_ptr<Pending> pending = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    Serve(*pending);
    lock.lock();
    held_ -= pending->Bytes();
  }
}

void LineServer::Serve(const Pending& pending) {
  if (pending.stop.stop_requested()) return;
  const Call call{
      "stdio", pending.stop.get_token(),
      [&](const OperationProgress& progress) { Tell(pending, progress); }};
  const auto answer =
      service::Answer(*pending.operation, service_, call, pending.params);
  {
    // Before it is answered, for then its id may come again.
    const std::lock_guard lock(mutex_);
    const auto found = by_id_.find(pending.id);
    if (found != by_id_.end() && found->second.get() == &pending) {
      by_id_.erase(found);
    }
  }
  Answer(pending, answer);
}

void LineServer::Tell(const Pending& pending,
                      const OperationProgress& progress) {
  Put(cli::LineOf({{"jsonrpc", "2.0"},
                   {"method", "progress"},
                   {"params",
                    {{"id", Json::parse(pending.id)},
                     {"stage", progress.stage},
                     {"done", progress.done},
                     {"total", progress.total},
                     {"message", progress.message}}}}),
      pending.stop.get_token());
}

void LineServer::Answer(const Pending& pending,
                        const Result<std::string>& answer) {
  Put(R"({"jsonrpc":"2.0","id":)" + pending.id +
          (answer ? ",\"result\":" + *answer
                  : ",\"error\":" + ErrorJson(answer.error())) +
          "}",
      pending.stop.get_token());
}

void LineServer::End() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    waiting_.clear();
    for (const auto& [id, pending] : by_id_) pending->stop.request_stop();
  }
  came_.notify_all();
  threads_.clear();  // Joined.
}

}  // namespace

Result<void> ServeLines(Service& service, std::istream& in, std::ostream& out,
                        std::size_t most_held) {
  LineServer server(service, out, most_held);
  std::string line;
  for (;;) {
    const Line read = ReadLine(in, line);
    if (read == Line::kEnd) return {};
    if (read == Line::kTooLong) {
      server.Refuse(kNotARequest, "a line of more than 8 MiB");
    } else {
      server.Take(line);
    }
    if (server.IsBroken()) {
      return Fail(Errc::kIo, "standard output: cannot be written");
    }
  }
}

}  // namespace coppice::service
