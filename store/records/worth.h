// What a node counts for: the one answer to whether it passes and how fast it
// is.  Whoever ranks, selects, shows or exports asks this and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice {

enum class Tier : std::uint8_t;  // store/records/tier.h

struct Worth {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;  // Over the root; set if it passes.
  std::size_t decided_by = 0;      // Which finding the verdict is of.
  bool is_refuted = false;         // It passed once, and fails.
  bool is_confirmed = false;       // It passes, and did so in the full tier.
};

// An evaluation, as far as the worth of its node rests on it.
struct Evidence {
  Verdict verdict = Verdict::kInconclusive;
  std::optional<Speedup> speedup;  // Set if it passed.
  bool further = false;            // Made when the node was there already.
  Tier tier{};                     // kFast.
};

// Takes all findings in the order made.  The last one that the node was
// committed with decides first.  The first of the further ones that fails
// refutes a node for good; one that passes settles a node that was
// inconclusive; one that is inconclusive changes nothing.  The speedup is
// pooled over all that passed.  REQUIRES: the first is not further.
Worth WorthOf(std::span<const Evidence> findings);

// The root is 1 by definition, whatever was measured of it.
Worth WorthOfRoot();

}  // namespace coppice
