// How a client of the Model Context Protocol starts this program.
#pragma once

#include <string>
#include <vector>

#include "engine/documents/verb.h"

namespace coppice::cli {

struct AgentEntry {
  std::string command;  // "/usr/bin/coppice"
  std::vector<std::string> arguments;
};

// Its paths are absolute, since a client may start it in any folder.
AgentEntry EntryFor(const Invocation& invocation);

}  // namespace coppice::cli
