// coppice compare [FILE] --in-memory: thousands of campaigns on landscapes, of
// which a file keeps the scores.
#pragma once

#include "engine/documents/verb.h"

namespace coppice::cli {

// Whether settings.db holds such.
bool HoldsScoresInMemory(const Invocation& invocation);

Result<Exit> CompareInMemory(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
