#include "tests/engine_windows.h"

#include "agents/prompt/window.h"
#include "search/tree.h"
#include "store/database.h"
#include "store/records/node_summary.h"
#include "store/records/random.h"
#include "store/scratch_file.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice {
namespace {

using store::Must;

EngineWindow WindowOf(const search::Tree& tree, const store::CampaignRow& row,
                      NodeId node) {
  const bool passes = tree.Node(node).verdict == Verdict::kPassed;
  RandomStream stream(row.spec.seed,
                      passes ? Purpose::kPlanWindow : Purpose::kDebugWindow,
                      static_cast<std::uint64_t>(row.attempts));
  const Window window = agents::BuildWindow(passes ? Role::kPlan : Role::kDebug,
                                            node, tree, {}, stream);
  EngineWindow made{.selected = node, .shown = {}};
  for (const auto& entry : window.shown) {
    made.shown.push_back(Index(entry.node));
  }
  made.nodes_cut = window.NodesCut();
  return made;
}

}  // namespace

std::vector<EngineWindow> EngineWindows(const std::filesystem::path& file,
                                        const std::vector<NodeId>& nodes) {
  store::Database database =
      Must(store::Database::Open(file, store::Access::kReadOnly));
  const auto row = Must(store::Campaigns(database).Last());
  search::Tree tree({});
  Must(store::Nodes(database).Scan(
      row.id, [&](const NodeSummary& node) { tree.Add(node); }));
  std::vector<EngineWindow> windows;
  for (const NodeId node : nodes) windows.push_back(WindowOf(tree, row, node));
  return windows;
}

}  // namespace coppice
