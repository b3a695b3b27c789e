// All nodes of a campaign in columns, for who draws them: 1,000,000 nodes take
// seconds to read and 20 MB to keep, so they are read once, and then what is
// new.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
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
  std::vector<std::string> policy_names;  // In the order of their first use.

  std::size_t size() const { return parents.size(); }
  std::size_t bytes() const { return parents.capacity() * kBytes; }

 private:
  static constexpr std::size_t kBytes =
      sizeof(std::uint32_t) + sizeof(NodeMark) + 2;  // Of a node.
};

// What is to be added to columns that are known, which others may read
// meanwhile.
struct NodeNews {
  bool is_all = false;   // Of another file by that name: all of it.
  bool is_none = false;  // There is nothing to add.
  std::vector<std::pair<std::size_t, NodeMark>> marks;  // Of known nodes.
  NodeColumns added;  // Its names are all names.
};

// kNotFound: there is no such campaign any more.
Result<NodeNews> ReadNews(Database& database, CampaignId campaign,
                          const NodeColumns& known);
// Quick.  REQUIRES: they are of these columns.
void Add(NodeNews news, NodeColumns& columns);

// What is not drawn, and takes as long again to read.
struct NodeDetails {
  std::vector<std::uint32_t> techniques;     // In `technique_names`.
  std::vector<float> costs_usd;              // Of the calls that made it.
  std::vector<std::string> technique_names;  // By first use; '': none.

  std::size_t size() const { return techniques.size(); }
  std::size_t bytes() const {
    return techniques.capacity() * (sizeof(std::uint32_t) + sizeof(float));
  }
};

struct DetailNews {
  bool is_all = false;
  bool is_none = false;
  NodeDetails added;
};

Result<DetailNews> ReadNews(Database& database, CampaignId campaign,
                            const NodeDetails& known);
void Add(DetailNews news, NodeDetails& details);

// Adds the nodes that are new, and brings those up to date that were evaluated
// again.  kNotFound: there is no such campaign any more.
Result<void> BringUpToDate(Database& database, CampaignId campaign,
                           NodeColumns& columns);

}  // namespace coppice::store
