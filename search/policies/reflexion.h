// Reflexion: a chain in which every attempt tries to better the last one, be it
// slow or broken (Shinn et al. 2023; STARK's "reflexion agent", table 1).
//
// Decided here: an attempt whose answer held no candidate leaves nothing to
// work on, so the chain goes on from the latest node that has one.  Attempts
// that run at the same time start from the same node: the chain is a chain with
// one worker only.
#pragma once

#include <memory>

#include "search/policy.h"

namespace coppice::search {

std::unique_ptr<Policy> MakeReflexion();

}  // namespace coppice::search
