// All nodes of a campaign in columns, for who draws them: 1,000,000 nodes take
// seconds to read and 20 MB to keep, so they are read once, and then what is
// new.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/database.h"
#include "store/records/ids.h"

namespace coppice::store {

inline constexpr std::uint32_t kNoParent = 0xffffffff;

// What a node counts for now, in little room.
struct NodeMark {
  float speedup = 0.0F;  // Not a number: it does not pass.
  std::uint8_t verdict = 0;
  std::uint8_t flags = 0;  // kRefuted and so on.
};
inline constexpr std::uint8_t kRefuted = 1;
inline constexpr std::uint8_t kConfirmed = 2;
inline constexpr std::uint8_t kSameAs = 4;
inline constexpr std::uint8_t kFrozen = 8;

struct NodeColumns {
  std::int64_t further = 0;            // Evaluations that the marks are by.
  std::vector<std::uint32_t> parents;  // kNoParent: the root.
  std::vector<NodeMark> marks;
  std::vector<std::uint8_t> families;     // Of techniques, as stored.
  std::vector<std::uint8_t> policies;     // In `policy_names`; 255: the root.
  std::vector<std::uint32_t> techniques;  // In `technique_names`.
  std::vector<float> costs_usd;           // Of the calls that made it.
  std::vector<std::string> policy_names;  // In the order of their first use.
  std::vector<std::string> technique_names;  // Likewise; '': none.

  std::size_t size() const { return parents.size(); }
};

// Adds the nodes that are new, and brings those up to date that were evaluated
// again.  kNotFound: there is no such campaign any more.
Result<void> BringUpToDate(Database& database, CampaignId campaign,
                           NodeColumns& columns);

}  // namespace coppice::store
