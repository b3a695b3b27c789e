// Several moves in one plan: the bold kind.
#pragma once

#include <optional>
#include <string>

#include "agents/catalogue/setting.h"
#include "store/records/random.h"

namespace coppice::agents::catalogue {

struct Chain {
  std::string label;   // "jam(j, 32, overlap) + parallel(i)"
  std::string result;  // What it makes of the source.
  std::string words;   // What each step does.
};

// Draws two to four moves, each on what those before it left, that together
// are one label for the whole body.  Nothing if there are no two.  `program`
// made the source of the root.
std::optional<Chain> DrawChain(const std::string& source,
                               const std::string& program,
                               const Setting& setting, RandomStream& stream);

// The precedent's steps on the root's source, each by the most promising move
// of its kind, since loops have other names here.  Nothing unless all apply.
std::optional<Chain> Follow(const Precedent& precedent, const Setting& setting);

}  // namespace coppice::agents::catalogue
