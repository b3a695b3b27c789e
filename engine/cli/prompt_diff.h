// coppice diff --prompts: what two agents of a role were told, and what of it
// differs: the model, its sampling, the templates, the window, the prompts.
#pragma once

#include "engine/documents/verb.h"
#include "store/records/result.h"

namespace coppice::cli {

// Compares the calls that made two nodes, role by role: the last call of each
// role that both have, or of the one that --role names.  A call may be named
// itself, by its uuid, and be of another campaign.
Result<Exit> DiffPrompts(const Invocation& invocation, Streams& streams);

}  // namespace coppice::cli
