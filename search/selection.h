// What a policy has chosen.
#pragma once

#include <optional>
#include <string>

#include "store/records/ids.h"
#include "store/records/result.h"

namespace coppice::search {

struct Selection {
  NodeId node{};
  std::string reason;  // In words, for the record: "exploit: best eligible".
  // To be combined with it (crossover); none: `node` is the only parent.  It
  // holds a candidate and is another node.
  std::optional<NodeId> mate{};
  // Only of a policy that is a program of the user's (AddPolicy): it died, came
  // too late or chose what may not be chosen.  Then nothing else of this holds.
  std::optional<Error> failure{};
};

}  // namespace coppice::search
