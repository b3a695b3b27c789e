// Operations for tests: small ones, and one that waits until it is cancelled
// or let go.
#pragma once

#include <array>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>

#include "engine/mcp/session.h"

namespace coppice::mcp {

inline constexpr std::array<service::Operation, 7> kTestOperations = {{
    {"echo",
     "Say it again",
     "Returns what it is asked.",
     {.read_only = true, .idempotent = true},
     R"({"type":"object","additionalProperties":false,"required":["word"],)"
     R"("properties":{"word":{"type":"string"}}})",
     R"({"type":"object","required":["word"],)"
     R"("properties":{"word":{"type":"string"}}})",
     nullptr},
    {"wait",
     "Wait",
     "Ends when it is let go.",
     {.open_world = true},
     R"({"type":"object","additionalProperties":false})",
     R"({"type":"object"})",
     nullptr},
    {"fail",
     "Fail",
     "Is an error.",
     {},
     R"({"type":"object"})",
     R"({"type":"object"})",
     nullptr},
    {"throw",
     "Throw",
     "Is a mistake of ours.",
     {},
     R"({"type":"object"})",
     R"({"type":"object"})",
     nullptr},
    {"describe_task",
     "Describe",
     "Of a task.",
     {},
     R"({"type":"object"})",
     R"({"type":"object"})",
     nullptr},
    {"get_node",
     "Node",
     "Of a campaign.",
     {},
     R"({"type":"object"})",
     R"({"type":"object"})",
     nullptr},
    {"get_job",
     "Job",
     "How far it is.",
     {},
     R"({"type":"object"})",
     R"({"type":"object"})",
     nullptr},
}};

// "_meta": {...}, of a request of the modern era.
inline constexpr const char* kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
    R"("io.modelcontextprotocol/clientCapabilities":{}})";

// `params` are members of an object: R"("name":"echo")".
inline std::string LegacyMessage(const std::string& method,
                                 const std::string& params = "",
                                 const std::string& id = "1") {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method +
         R"(","params":{)" + params + "}}";
}

inline std::string ModernMessage(const std::string& method,
                                 const std::string& params = "",
                                 const std::string& id = "1") {
  return LegacyMessage(method,
                       (params.empty() ? "" : params + ",") + kModernMeta, id);
}

// A clock that stands still until a test sets it.
class SetClock final : public engine::Clock {
 public:
  double UnixSeconds() const override { return now; }
  double Monotonic() const override { return now; }
  double now = 100;
};

class TestOperations {
 public:
  TestOperations() {
    terms.operations = kTestOperations;
    terms.ask = [this](const auto& operation, const auto& call,
                       std::string_view request) {
      return Ask(operation.name, call, std::string(request));
    };
    terms.keep = [this](std::string_view whole) -> Result<std::string> {
      kept = whole;
      return "/kept.json";
    };
    terms.schema = "CREATE VIEW nodes";
  }

  void LetGo() {
    const std::lock_guard lock(mutex_);
    is_let_go_ = true;
    changed_.notify_all();
  }
  // Waits until `count` have begun to wait.
  void AwaitWaiting(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= count; });
  }

  Terms terms;
  std::string kept;           // What was too long.
  std::string asked;          // Of "describe_task" and its like: the request.
  std::string answer = "{}";  // Of the same.
  std::string client;         // Who asked last.
  service::OperationProgress progress{};  // Told by "wait", if it has a stage.

 private:
  Result<std::string> Ask(std::string_view name, const service::Call& call,
                          const std::string& request) {
    if (name == "echo") {
      client = call.client;
      return request.empty() ? "{}" : request;
    }
    if (name == "fail") {
      return Fail(Errc::kNotFound, "no task 'x'; did you mean y?");
    }
    if (name == "throw") throw std::runtime_error("a mistake of ours");
    if (name == "wait") return Wait(call);
    asked = request;
    return answer;
  }

  Result<std::string> Wait(const service::Call& call) {
    const std::stop_callback wake(call.cancelled, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    if (!progress.stage.empty()) call.progress(progress);
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(
        lock, [&] { return is_let_go_ || call.cancelled.stop_requested(); });
    --waiting_;
    if (is_let_go_) return "{}";
    return Fail(Errc::kCancelled, "cancelled");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_let_go_ = false;
  int waiting_ = 0;
};

}  // namespace coppice::mcp
