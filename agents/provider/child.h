// Runs a command: text in, text out, and nothing of it left behind.  No shell
// is involved.  (Candidates run elsewhere, in a sandbox:
// eval/sandbox/sandbox.h.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/timer.h"
#include "store/records/result.h"

namespace coppice::agents {

// Words of a command as a POSIX shell splits them: by blanks, with '...',
// "..." and backslashes.  Nothing is expanded.  kUsage if there is none, or a
// quote does not end.
Result<std::vector<std::string>> SplitCommand(std::string_view text);

enum class ChildEnvironment : std::uint8_t {
  kOurs,
  // PATH, HOME, the user, locale, proxies and certificates; no key.
  kScrubbed,
};

struct ChildOptions {
  std::vector<std::string> arguments;  // The program first, found by PATH.
  std::string input{};
  ChildEnvironment environment = ChildEnvironment::kScrubbed;
  std::vector<std::string> passed{};     // Variables that it has all the same.
  std::vector<std::string> variables{};  // "NAME=value", in place of any other.
  std::string directory{};               // To work in; empty: ours.
  double timeout_s = 600;
  std::size_t output_limit = std::size_t{16} << 20;  // Bytes.
  const std::atomic<bool>* cancel = nullptr;         // Not owned; may be null.
  // Whatever it starts ends with it, and with this process, also what leaves
  // its group: see warden.h.  Its number is the warden's then.
  bool is_warded = false;
  // Told the size of the output as it grows.
  std::function<void(std::size_t bytes)> on_output{};
};

struct ChildOutput {
  std::string out;
  std::string errors;  // The last 16 KiB of its standard error.
  int exit_code = 0;   // 128 + N: killed by signal N.
};

// Blocks.  The command gets a process group of its own, all of which is ended
// when it ends, on time-out (kTimeout), cancellation (kCancelled, within half
// a second) and beyond the output limit (kCorrupt): by SIGTERM, and SIGKILL a
// quarter of a second later.  kNotFound if there is no such program.  A process
// that leaves the group is not followed.
//
// The command is killed if this process is (what it has started itself is not),
// or if the thread that called ends.
Result<ChildOutput> RunChild(const ChildOptions& options, Timer& timer);

// Kills the groups of all commands that run, for a process that is about to
// end.  May be called in a signal handler.
void KillCommands();

}  // namespace coppice::agents
