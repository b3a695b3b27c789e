// One client's conversation: what each of its messages comes to.
//
// Knows neither pipes nor HTTP: a front (stdio.h, web.h) brings messages and
// sends what is answered.  What takes time is handed to the front as work for
// a thread of its own, so that the one that reads sees cancellations.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/mcp/incoming.h"
#include "engine/mcp/resources.h"
#include "engine/mcp/tool_result.h"
#include "engine/process/clock.h"
#include "engine/service/operation.h"

namespace coppice::mcp {

// A client may have so many requests under way.
inline constexpr std::size_t kMostInFlight = 64;

// What all sessions of a process share.
struct Terms {
  std::span<const service::Operation> operations{};
  // Has one answer.
  std::function<Result<std::string>(const service::Operation&,
                                    const service::Call&,
                                    std::string_view request)>
      ask{};
  KeepWhole keep{};
  std::string schema{};
  std::filesystem::path documents{};
};

// Takes a line for the client.  By any thread, one at a time.
using Say = std::function<void(const std::string& line)>;

struct MessageOutcome {
  std::string line{};  // The answer; empty: there is none, or `work` makes it.
  int error = 0;       // Its code, if it is a protocol's error.
  // If set: blocks, says how far it is on the way, and returns the answer;
  // empty if it was cancelled.  To be called once or dropped.
  std::function<std::string(const Say& say)> work{};
};

class Session {
 public:
  // `terms` and `clock` outlive it.  `client` is whose turn it takes where
  // operations are shared fairly.
  Session(const Terms& terms, const engine::Clock& clock, std::string client);
  ~Session();  // REQUIRES: no work is called any more.

  MessageOutcome Take(std::string_view message);
  MessageOutcome Take(const Incoming& message);

  // Tells of all that is under way and was not told of for 5 s, even if
  // nothing moved: so clients that wait do not give up.
  void Tick();

  // Cancels by a request's id, as JSON. Unknown ids are passed over.
  void Cancel(const std::string& id);
  void CancelAll();

 private:
  class Running;
  // Requests under way, by ids as JSON. Their work holds it, too, and may
  // outlive us.
  struct Table {
    std::mutex mutex{};
    std::map<std::string, std::shared_ptr<Running>, std::less<>> running{};
  };
  class Place;  // In the table: given up when its work is dropped.

  MessageOutcome Answer(const Incoming& request);
  MessageOutcome Error(const Incoming& request, int code,
                       const std::string& message) const;
  MessageOutcome List(const Incoming& request,
                      nlohmann::ordered_json list) const;
  MessageOutcome Initialize(const Incoming& request) const;
  MessageOutcome CallTool(const Incoming& request);
  MessageOutcome Read(const Incoming& request);
  MessageOutcome Get(const Incoming& request) const;
  // `make` returns the answer.
  MessageOutcome Begin(const Incoming& request,
                       std::function<std::string(const service::Call&)> make);
  std::vector<std::shared_ptr<Running>> All() const;
  service::Call CallOf(const std::shared_ptr<Running>& running) const;
  Sources SourcesFor(const service::Call& call) const;

  const Terms& terms_;
  const engine::Clock& clock_;
  const std::string client_;
  const std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

}  // namespace coppice::mcp
