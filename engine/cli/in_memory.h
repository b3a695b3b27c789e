// coppice compare --in-memory: thousands of campaigns on landscapes.
#pragma once

#include "engine/cli/verb.h"

namespace coppice::cli {

Result<Exit> CompareInMemory(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
