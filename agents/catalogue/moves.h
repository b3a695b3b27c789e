// The moves that make sense on a kernel, each with a reason in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/survey.h"

namespace coppice::agents::catalogue {

struct Move {
  std::string label;   // "jam(j, 32)"
  Lines span;          // Statements to put between the anchors.
  double score = 0.0;  // Larger is more promising; > 0.
  std::string what;    // "Compute 32 neighbouring iterations of `j` at once"
  std::string why;     // "the loop ... takes about 90 % of the time ..."
};

// Not all need apply: some techniques look closer than the moves do.
std::vector<Move> SuggestMoves(const Survey& survey);

// Those on a source for a CPU or for a device; none if it cannot be read.
std::vector<Move> MovesOn(const std::string& source, const Setting& setting);

// All lines that techniques may change; nothing if it cannot be read.
std::optional<Lines> WholeSpan(const std::string& source);

}  // namespace coppice::agents::catalogue
