// The protocol by a socket in a folder: whoever can enter that may connect,
// and each connection is a client's conversation of its own.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "agents/provider/process.h"
#include "engine/http/threads.h"
#include "engine/mcp/session.h"
#include "engine/process/clock.h"
#include "store/records/result.h"

namespace coppice::mcp {

class Local {
 public:
  // `terms` and `clock` outlive it.  The process must ignore SIGPIPE.
  static Result<std::unique_ptr<Local>> Open(const std::filesystem::path& place,
                                             const Terms& terms,
                                             const engine::Clock& clock,
                                             std::string client);
  // All that is under way is cancelled, and waited for.
  ~Local();
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;

 private:
  Local(std::filesystem::path place, agents::Descriptor socket,
        const Terms& terms, const engine::Clock& clock, std::string client);
  void Serve();

  const std::filesystem::path place_;
  agents::Descriptor socket_;
  const Terms& terms_;
  const engine::Clock& clock_;
  const std::string client_;
  std::atomic<bool> is_over_{false};
  http::Threads talks_;  // Used by the thread below only.
  std::jthread thread_;
};

// Carries messages between a client on the descriptors `in` and `out` and the
// socket at `place`, until either ends.
Result<void> Bridge(const std::filesystem::path& place, int in, int out);

}  // namespace coppice::mcp
