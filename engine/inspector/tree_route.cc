// GET /api/tree: the nodes of a campaign in columns, to be drawn.
//
//   "CTR1", u32 first, u32 count, u32 0; u32 parent[count] (root: 0xffffffff),
//   f32 speedup[] (not a number: it does not pass), u8 verdict[], u8 flags[],
//   u8 technique_family[], u8 policy[] (root: 255)
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/steering/steering.h"
#include "store/directives.h"

namespace coppice::inspector {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class Value>
void Append(std::string& bytes, const Value& value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

std::string Columns(const store::NodeColumns& columns, std::size_t first,
                    engine::Frost frost) {
  first = std::min(first, columns.size());
  const std::size_t count = columns.size() - first;
  constexpr std::size_t kHead = 16;
  constexpr std::size_t kNode = 12;
  std::string bytes = "CTR1";
  bytes.reserve(kHead + kNode * count);
  Append(bytes, static_cast<std::uint32_t>(first));
  Append(bytes, static_cast<std::uint32_t>(count));
  Append(bytes, std::uint32_t{0});
  for (std::size_t i = first; i < columns.size(); ++i) {
    Append(bytes, columns.parents[i]);
  }
  for (std::size_t i = first; i < columns.size(); ++i) {
    Append(bytes, columns.marks[i].speedup);
  }
  for (std::size_t i = first; i < columns.size(); ++i) {
    Append(bytes, columns.marks[i].verdict);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    NodeSummary node;
    node.id = NodeId{static_cast<std::int64_t>(i)};
    if (i > 0) node.parent = NodeId{columns.parents[i]};
    frost.Touch(node);
    const std::uint8_t frozen = node.is_frozen ? store::kFrozen : 0;
    if (i < first) continue;
    Append(bytes, static_cast<std::uint8_t>(columns.marks[i].flags | frozen));
  }
  for (std::size_t i = first; i < columns.size(); ++i) {
    Append(bytes, columns.families[i]);
  }
  for (std::size_t i = first; i < columns.size(); ++i) {
    Append(bytes, columns.policies[i]);
  }
  return bytes;
}

}  // namespace

Result<http::Answer> AnswerTree(const Asked& asked) {
  TRY(first, asked.CountOr("from", 0));
  TRY(chosen, asked.Choose());
  TRY(directives, store::ReadDirectives(chosen.database(), chosen.campaign.id));
  // As the next decision will find them.
  const engine::Frost frost(
      engine::FreezeMarks(InForce(directives, chosen.campaign.attempts)));
  return asked.inspector().trees().With(
      chosen.database(), chosen.campaign,
      [&](const store::NodeColumns& columns) -> Result<http::Answer> {
        return http::Answer{
            200, "application/octet-stream",
            Columns(columns, static_cast<std::size_t>(first), frost)};
      });
}

}  // namespace coppice::inspector
