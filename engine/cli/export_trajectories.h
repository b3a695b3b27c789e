// coppice export trajectories: every call of a model with what came of it.
#pragma once

#include "store/records/result.h"

namespace coppice::cli {

enum class Exit : int;
struct Invocation;
struct Streams;

Result<Exit> ExportTrajectories(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
