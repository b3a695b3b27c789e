// What a running campaign tells programs: one line of JSON for each event.
//
//   {"event":"node","campaign":"gemv.stark.s1","attempts":12,"of":60,"node":12,
//    "verdict":"passed","best_node":9,"best_speedup":3.1,"best_low":3.0,
//    "best_high":3.2,"left_s":40.5,"elapsed_s":12.1}
//   {"event":"confirm","campaign":"gemv.stark.s1","node":9}
//   {"event":"said","text":"gemv.stark.s1: decision 3 is put off: ..."}
//
// What is not known is null.  Readers skip events and fields that they do not
// know.
#pragma once

#include <string>
#include <string_view>

#include "engine/campaign/progress.h"

namespace coppice::engine {

std::string CommitEvent(const Progress& progress, const NodeRecord& node);

// Before `leader` is measured again.
std::string ConfirmEvent(const Progress& progress, NodeId leader);

// Any other line, for people.
std::string SaidEvent(std::string_view text);

}  // namespace coppice::engine
