// The moves that make sense on the loops of a kernel for a CPU.
#pragma once

#include <vector>

#include "agents/catalogue/move.h"
#include "agents/catalogue/survey.h"

namespace coppice::agents::catalogue {

// Not all need apply: some techniques look closer than the moves do.
std::vector<Move> SuggestMoves(const Survey& survey);

}  // namespace coppice::agents::catalogue
