// coppice diff --prompts: what two agents of a role were told, and what of it
// differs: the model, its sampling, the templates, the window, the prompts.
#pragma once

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::cli {

// Of two nodes the calls that made them, role by role: of each role that both
// have, or that --role names, the last call.  A call may be named itself, by
// its uuid, and be of another campaign.
Result<Exit> DiffPrompts(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
