// A Transport to any command: the prompts on its standard input, the system's
// first, its answer on standard output.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/provider/child.h"
#include "agents/provider/model_table.h"
#include "agents/provider/prices.h"
#include "agents/provider/timer.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

struct CommandTransportOptions {
  std::string provider;  // "exec", "claude", ...
  std::string model;
  std::vector<std::string> command;  // Its words; the program first.
  ExecAnswer answer = ExecAnswer::kText;
  std::vector<std::string> env{};  // Variables beyond the scrubbed few.
  std::optional<Prices> prices;    // Of the tokens that it reports, if any.
  // Works in an empty folder of its own: a coding agent would find, and
  // change, whatever lies in ours.
  bool own_directory = true;
};

// A command that fails is not tried again: it does so itself, and may have
// cost something.  It may use more than BoundOf() says.  `timer` outlives the
// transport.
std::unique_ptr<Transport> MakeCommandTransport(CommandTransportOptions options,
                                                Timer& timer);

// What a command printed, by its form.  Exposed for tests.
//   kText: the answer.
//   kClaude: `claude -p --output-format json`: one JSON object.
//   kCodex: `codex exec --json`: a line of JSON for each event.
// An error of the model's is in Refusal; text that is not of the form is, too.
Delivery ReadCommandOutput(ExecAnswer form, std::string_view out);

}  // namespace coppice::agents
