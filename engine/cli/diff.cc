// coppice diff: what the sources of two nodes do not share.
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "engine/cli/colour.h"
#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/cli/unified_diff.h"
#include "engine/cli/verbs.h"
#include "store/nodes.h"

namespace coppice::cli {
namespace {

std::string Label(const NodeRecord& node) {
  std::string label = "node " + std::to_string(Index(node.id)) + " (" +
                      std::string(Name(node.evaluation.verdict));
  if (node.plan && !node.plan->technique.empty()) {
    label += ", " + Shorten(node.plan->technique, 40);
  }
  return label + ")";
}

Result<NodeRecord> Load(store::Database& database,
                        const store::CampaignRow& campaign,
                        const std::string& word) {
  TRY(id, ChooseNode(database, campaign, word));
  TRY(node, store::Nodes(database).Load(campaign.id, id));
  if (!node.candidate) {
    return Fail(Errc::kUsage, campaign.spec.name + ": node " +
                                  std::to_string(Index(id)) +
                                  " has no source (no_candidate)");
  }
  return node;
}

void PrintPainted(const std::string& diff, Streams& streams) {
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);) {
    const std::string shown = Printable(line);
    if (line.starts_with('+')) {
      streams.out << Paint(streams, Colour::kGreen, shown);
    } else if (line.starts_with('-')) {
      streams.out << Paint(streams, Colour::kRed, shown);
    } else if (line.starts_with('@')) {
      streams.out << Paint(streams, Colour::kCyan, shown);
    } else {
      streams.out << shown;
    }
    streams.out << "\n";
  }
}

Result<Exit> RunDiff(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, database));
  TRY(a, Load(database, campaign, invocation.arguments[0]));
  TRY(b, Load(database, campaign, invocation.arguments[1]));
  const std::string diff = UnifiedDiff(
      {Label(a), a.candidate->source}, {Label(b), b.candidate->source},
      static_cast<std::size_t>(invocation.Count("context").value_or(3)));
  if (invocation.Has("json")) {
    const nlohmann::ordered_json document = {
        {"a", Index(a.id)}, {"b", Index(b.id)}, {"diff", diff}};
    streams.out << document.dump(2, ' ', false,
                                 nlohmann::json::error_handler_t::replace)
                << "\n";
  } else if (streams.out_is_terminal) {
    PrintPainted(diff, streams);
  } else {
    streams.out << diff;
  }
  if (diff.empty() && !invocation.Has("json")) {
    streams.err << "the sources are equal\n";
  }
  return Exit::kDone;
}

}  // namespace

Verb DiffVerb() {
  return {
      .name = "diff",
      .summary = "what the sources of two nodes do not share",
      .arguments = "A B",
      .examples =
          "  coppice diff root best\n"
          "  coppice diff 3 17 --context 10\n",
      .options = {kCampaignOption,
                  {"context", Takes::kCount, "N", "unchanged lines around (3)"},
                  kJsonOption},
      .settings = {"db"},
      .run = RunDiff,
  };
}

}  // namespace coppice::cli
