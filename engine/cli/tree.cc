// coppice tree: every node, drawn below its parent.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/cli/colour.h"
#include "engine/cli/document.h"
#include "engine/cli/looking.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"
#include "engine/display.h"
#include "store/history.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kDefaultDepth = 40;

struct Drawn {
  std::size_t node = 0;
  std::string branches;  // "|  `- ", in box-drawing characters.
  bool cut = false;      // Its descendants are not drawn.
};

using Children = std::vector<std::vector<std::size_t>>;

Children ChildrenOf(const std::vector<store::NodeLine>& lines) {
  Children children(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].parent) continue;
    children[static_cast<std::size_t>(Index(*lines[i].parent))].push_back(i);
  }
  return children;
}

// In depth-first order, children as committed.  Without recursion: a chain of
// attempts may be as long as a campaign.
std::vector<Drawn> Draw(const Children& children, std::int64_t max_depth) {
  struct Pending {
    std::size_t node;
    std::string stem;  // What the lines below it begin with.
    std::string branches;
    std::int64_t depth;
  };
  std::vector<Drawn> drawn;
  std::vector<Pending> stack{{0, "", "", 0}};
  while (!stack.empty()) {
    const Pending at = std::move(stack.back());
    stack.pop_back();
    const auto& below = children[at.node];
    const bool cut = at.depth == max_depth && !below.empty();
    drawn.push_back({at.node, at.branches, cut});
    if (cut) continue;
    for (std::size_t i = below.size(); i-- > 0;) {
      const bool last = i + 1 == below.size();
      stack.push_back({below[i], at.stem + (last ? "   " : "│  "),
                       at.stem + (last ? "└─ " : "├─ "), at.depth + 1});
    }
  }
  return drawn;
}

Colour ColourOf(Verdict verdict) {
  if (verdict == Verdict::kPassed) return Colour::kGreen;
  return verdict == Verdict::kInconclusive ? Colour::kYellow : Colour::kRed;
}

std::string Label(const store::NodeLine& line) {
  std::string label = std::to_string(Index(line.node));
  if (!line.parent) return label + " root";
  if (!line.technique.empty()) label += " " + Shorten(line.technique, 40);
  return label;
}

std::string Outcome(const store::NodeLine& line, bool best, Streams& streams) {
  if (line.verdict != Verdict::kPassed) {
    return Paint(streams, ColourOf(line.verdict),
                 std::string(Name(line.verdict)) +
                     (line.is_quarantined ? "  (quarantined)" : ""));
  }
  std::string text = engine::DurationText(line.runtime_s.value_or(0.0));
  text.resize(std::max<std::size_t>(text.size(), 8), ' ');
  text += "  " + TimesText(line.speedup.value_or(1.0));
  if (best) text += "  best";
  return Paint(streams, best ? Colour::kCyan : Colour::kGreen, text);
}

void PrintTree(const std::vector<store::NodeLine>& lines,
               std::int64_t max_depth, std::optional<NodeId> best,
               Streams& streams) {
  constexpr std::size_t kWidest = 60;  // Deeper labels push theirs outwards.
  const std::vector<Drawn> drawn = Draw(ChildrenOf(lines), max_depth);
  std::vector<std::string> labels;
  std::size_t width = 0;
  for (const Drawn& each : drawn) {
    labels.push_back(each.branches + Label(lines[each.node]));
    const std::size_t wide = DisplayWidth(labels.back());
    if (wide <= kWidest) width = std::max(width, wide);
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const store::NodeLine& line = lines[drawn[i].node];
    const std::size_t wide = DisplayWidth(labels[i]);
    streams.out << labels[i]
                << std::string(wide < width ? width - wide + 2 : 2, ' ')
                << Outcome(line, best == line.node, streams)
                << (drawn[i].cut ? "  (its descendants: --depth)" : "") << "\n";
  }
}

void PrintJson(const std::vector<store::NodeLine>& lines, Streams& streams) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const store::NodeLine& line : lines) {
    nlohmann::ordered_json node = {
        {"node", Index(line.node)},      {"parent", nullptr},
        {"verdict", Name(line.verdict)}, {"quarantined", line.is_quarantined},
        {"runtime_s", nullptr},          {"speedup", nullptr},
        {"technique", line.technique}};
    if (line.parent) node["parent"] = Index(*line.parent);
    if (line.runtime_s) node["runtime_s"] = *line.runtime_s;
    if (line.speedup) node["speedup"] = *line.speedup;
    nodes.push_back(std::move(node));
  }
  PrintDocument(nodes, streams.out);
}

Result<Exit> RunTree(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, database));
  TRY(lines, store::ReadTree(database, campaign.id));
  if (invocation.Has("json")) {
    PrintJson(lines, streams);
    return Exit::kDone;
  }
  if (lines.empty()) {
    return Fail(Errc::kNotFound, campaign.spec.name + ": has no node yet");
  }
  TRY(leaders, store::ReadLeaders(database, campaign.id));
  std::optional<NodeId> best;
  if (!leaders.empty()) best = leaders.front();
  PrintTree(lines, invocation.Count("depth").value_or(kDefaultDepth), best,
            streams);
  return Exit::kDone;
}

}  // namespace

Verb TreeVerb() {
  return {
      .name = "tree",
      .summary = "every node, drawn below its parent",
      .arguments = "",
      .examples =
          "  coppice tree\n"
          "  coppice tree --depth 3\n"
          "  coppice tree --db mine.db --campaign gemv.stark.s1\n",
      .options = {kCampaignOption,
                  {"depth", Takes::kCount, "N", "generations to draw (40)"},
                  kJsonOption},
      .settings = {"db"},
      .run = RunTree,
  };
}

}  // namespace coppice::cli
