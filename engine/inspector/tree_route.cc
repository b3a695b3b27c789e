// GET /api/tree: the nodes of a campaign in columns, to be drawn.
//
//   "CTR1", u32 first, u32 count, u32 version;
//   u32 parent[count] (root: 0xffffffff),
//   f32 speedup[] (not a number: it does not pass), u8 verdict[], u8 flags[],
//   u8 technique_family[], u8 policy[] (root: 255)
//
// The version is 4096 times the further evaluations and the directives that
// wait: both change what old nodes are.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "engine/inspector/inspector.h"
#include "engine/inspector/routes.h"
#include "engine/steering/steering.h"
#include "store/read/node_columns.h"
#include "store/records/node_summary.h"
#include "store/write/directives.h"

namespace coppice::inspector {
namespace {

static_assert(std::endian::native == std::endian::little);

// Puts values of a column into bytes that are there.
class Writer {
 public:
  Writer(std::string& bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  template <class Value>
  void Put(const Value& value) {
    std::memcpy(bytes_.data() + at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <class Value>
  void PutAll(std::span<const Value> values) {
    if (values.empty()) return;
    std::memcpy(bytes_.data() + at_, values.data(), values.size_bytes());
    at_ += values.size_bytes();
  }

 private:
  std::string& bytes_;
  std::size_t at_;
};

// Whether each node is frozen, from the root on; empty: none is.
std::vector<bool> FrozenIn(const store::NodeColumns& columns,
                           engine::Frost frost) {
  std::vector<bool> is_frozen;
  if (frost.marks().empty()) return is_frozen;
  is_frozen.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    NodeSummary node;
    node.id = NodeId{static_cast<std::int64_t>(i)};
    if (i > 0) node.parent = NodeId{columns.parents[i]};
    frost.Touch(node);
    is_frozen.push_back(node.is_frozen);
  }
  return is_frozen;
}

std::string Columns(const store::NodeColumns& columns, std::size_t first,
                    std::int64_t pending, engine::Frost frost) {
  first = std::min(first, columns.size());
  const std::size_t count = columns.size() - first;
  constexpr std::size_t kHead = 16;
  constexpr std::size_t kNode = 12;
  std::string bytes(kHead + kNode * count, '\0');
  Writer writer(bytes, 0);
  writer.PutAll(std::span<const char>("CTR1", 4));
  writer.Put(static_cast<std::uint32_t>(first));
  writer.Put(static_cast<std::uint32_t>(count));
  writer.Put(static_cast<std::uint32_t>(columns.further * 4096 + pending));
  const auto rest = [&](const auto& column) {
    return std::span(column).subspan(first);
  };
  writer.PutAll(rest(columns.parents));
  const auto marks = rest(columns.marks);
  for (const store::NodeMark& mark : marks) writer.Put(mark.speedup);
  for (const store::NodeMark& mark : marks) writer.Put(mark.verdict);
  const std::vector<bool> frozen = FrozenIn(columns, std::move(frost));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t flags = marks[i].flags;
    if (!frozen.empty() && frozen[first + i]) flags |= store::kFrozen;
    writer.Put(flags);
  }
  writer.PutAll(rest(columns.families));
  writer.PutAll(rest(columns.policies));
  return bytes;
}

}  // namespace

Result<http::Answer> AnswerTree(const QueryParameters& asked) {
  TRY(first, asked.CountOr("from", 0));
  TRY(chosen, asked.Choose());
  TRY(directives, store::ReadDirectives(chosen.database(), chosen.campaign.id));
  // Nodes are frozen as the next decision will find them.
  const engine::Frost frost(
      engine::FreezeMarks(InForce(directives, chosen.campaign.attempts)));
  const auto pending = std::ranges::count(
      directives, DirectiveOutcome::kPending, &Directive::outcome);
  return asked.inspector().trees().With(
      chosen.database(), chosen.campaign,
      [&](const store::NodeColumns& columns) -> Result<http::Answer> {
        return http::Answer{
            200, "application/octet-stream",
            Columns(columns, static_cast<std::size_t>(first), pending, frost)};
      });
}

}  // namespace coppice::inspector
