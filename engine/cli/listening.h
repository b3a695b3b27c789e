// Who reaches an address that a verb listens at.
#pragma once

#include <string>

#include "engine/documents/verb.h"

namespace coppice::cli {

// Warns on stderr, if other machines do.
bool WarnIfOthersReach(const std::string& address, Streams& streams);

}  // namespace coppice::cli
