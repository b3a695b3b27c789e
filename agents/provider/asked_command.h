// A command that answers for a model: what transports to commands have in
// common, whether it answers at once (command_transport.h) or works in a
// session (session_transport.h).
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "agents/provider/model_table.h"
#include "agents/provider/prices.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

struct CommandOptions {
  std::string provider;  // "exec", "claude", "claude-session", ...
  std::string model;
  std::vector<std::string> command;  // Its words; the program first.
  ExecAnswer answer = ExecAnswer::kText;
  std::vector<std::string> env{};  // Variables beyond the scrubbed few.
  std::optional<Prices> prices{};  // Of the tokens that it reports, if any.
};

// The prompts of a request as one text, the system's first.
std::string PromptsOf(const ModelRequest& request);

// Safe to call from several threads.
class AskedCommand {
 public:
  explicit AskedCommand(CommandOptions options)
      : options_(std::move(options)) {}

  const CommandOptions& options() const { return options_; }

  // Whatever it printed may hold a key that it was given.
  std::string Keyless(std::string text) const;

  // An error that names the provider, and no key.
  Error Named(Errc code, const std::string& what) const;

  // Why it did not run, or not to its end: with what the user may do.
  Error NotRun(const Error& why) const;

  // It ended with a code that is none of success, and said this.  One that has
  // failed three times, and never worked, is mistyped or not set up: its user
  // has to mend it, and no waiting helps.
  Refusal Failed(int exit_code, const std::string& said);
  void Worked() { has_worked_ = true; }

 private:
  const CommandOptions options_;
  std::atomic<bool> has_worked_{false};
  std::atomic<int> failures_{0};  // Before it has.
};

}  // namespace coppice::agents
