// What an agent that works in a session finds beside its prompt: a folder, a
// budget and tools.  Who asks the agent makes it (engine/sessions/), since the
// tools judge kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace coppice::agents {

// One start of the agent; of a session that was cut off there are several.
struct SessionStart {
  std::filesystem::path home{};    // Of the session; the agent may read it.
  std::filesystem::path folder{};  // In it: the agent's own, where it works.
  // What it prints, for who reads it after we were killed.
  std::filesystem::path output{};
  std::string program{};  // Its MCP server's: speaks by standard input and
  std::vector<std::string> arguments{};  // output.
  std::filesystem::path config{};        // Names that server.
  std::vector<std::string> variables{};  // "NAME=value", for any command.
  std::int64_t runs_before = 0;          // Which were cut off.
  std::vector<std::filesystem::path> hidden{};  // Files that it may not read.
  // The name by which the agent knows the session from an earlier run; empty:
  // it said none.
  std::string own_id{};
  std::int64_t calls_left = 0;
  double usd_left = 0.0;
  double seconds_left = 0.0;
};

// What the session came to.
struct SessionProduct {
  std::string answer{};  // In the grammar of its role; empty: there is none.
  bool is_handed_in = false;  // Or it is the last kernel that passed.
};

class AgentSession {
 public:
  virtual ~AgentSession() = default;

  virtual const SessionStart& start() const = 0;
  // Whether the agent has, now or in an earlier run.
  virtual bool HasHandedIn() const = 0;
  // Whether the agent has called a tool, in any run.
  virtual bool HasCalled() const = 0;
  // It calls on, though its calls are used up.
  virtual bool IsSpent() const = 0;
  // No tool runs any more; what there is by then.
  virtual SessionProduct Close() = 0;
};

}  // namespace coppice::agents
