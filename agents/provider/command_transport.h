// A Transport to any command: the prompts on its standard input, the system's
// first, its answer on standard output.
#pragma once

#include <memory>
#include <string_view>

#include "agents/provider/asked_command.h"
#include "agents/provider/model_table.h"
#include "agents/provider/timer.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

// It works in an empty folder of its own: a coding agent would find, and
// change, whatever lies in ours.  A command that fails is not tried again: it
// does so itself, and may have cost something.  It may use more than BoundOf()
// says.  `timer` outlives the transport.
std::unique_ptr<Transport> MakeCommandTransport(CommandOptions options,
                                                Timer& timer);

// What a command printed, by its form.  Exposed for tests.
//   kText: the answer.
//   kClaude: `claude -p --output-format json`: one JSON object.
//   kCodex: `codex exec --json`: a line of JSON for each event.
// An error of the model's is in Refusal; text that is not of the form is, too.
Delivery ReadCommandOutput(ExecAnswer form, std::string_view out);

}  // namespace coppice::agents
