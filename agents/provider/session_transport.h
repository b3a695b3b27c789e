// A Transport to an agent that works in a session: a command that starts with
// the prompt on its standard input, uses the tools of the request's session
// (agent_session.h), and hands its answer in by one of them.
//
// One call is one run of the agent.  It ends when the agent does, or by its
// session's budget, or a while after it has handed in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/provider/agent_session.h"
#include "agents/provider/asked_command.h"
#include "agents/provider/timer.h"
#include "agents/provider/transport.h"

namespace coppice::agents {

struct SessionOptions {
  // In place of the command, to go on with a session that the agent knows;
  // empty: as ever.
  std::vector<std::string> resume{};
  std::vector<std::string> writable{};  // "~/.claude": folders of the agent's.
  double grace_s = 30.0;                // After it has handed in.
};

// In each word of a command {folder}, {config}, {program}, {arguments} (a list
// as TOML and JSON have it), {usd} and {session} stand for what the session
// says.  `timer` outlives the transport.
std::unique_ptr<Transport> MakeSessionTransport(CommandOptions command,
                                                SessionOptions session,
                                                Timer& timer);

// The command in its jail: bubblewrap shows it all files read-only but its
// folder, a /tmp of its own and what is `writable`, and not those that are
// hidden.  As it is, where there is no bubblewrap.  Exposed for tests.
std::vector<std::string> InJail(const SessionStart& start,
                                std::vector<std::string> command,
                                const std::vector<std::string>& writable);

// Whether there is a jail; else one line says what that means.
std::optional<std::string> WhyNoJail();

}  // namespace coppice::agents
