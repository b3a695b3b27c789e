// coppice tree: every node, drawn below its parent.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "config/keys.h"
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
constexpr std::int64_t kTerminalLimit = 200;  // Some screens of nodes.

using Children = std::vector<std::vector<std::size_t>>;

// What is asked for.
struct View {
  std::int64_t depth = kDefaultDepth;  // Generations below the root.
  std::int64_t limit = 0;              // Nodes; 0: all.
  // Cells of a line; none: as many as it takes.
  std::optional<std::size_t> columns;
};

View ViewOf(const Invocation& invocation, const Streams& streams) {
  View view;
  view.depth = invocation.Count("depth").value_or(kDefaultDepth);
  view.limit = invocation.Count("limit").value_or(
      streams.out_is_terminal ? kTerminalLimit : 0);
  if (streams.out_is_terminal && !invocation.Has("wide")) {
    view.columns = static_cast<std::size_t>(std::max(streams.columns, 20));
  }
  return view;
}

// The way to the best one first, then the others as committed, so that whoever
// is kept has its parent, too.
std::vector<bool> Kept(const std::vector<store::NodeLine>& lines,
                       std::int64_t limit, std::optional<NodeId> best) {
  if (limit == 0) return std::vector<bool>(lines.size(), true);
  auto left = static_cast<std::size_t>(limit);
  std::vector<NodeId> way;
  for (std::optional<NodeId> at = best; at;
       at = lines[static_cast<std::size_t>(Index(*at))].parent) {
    way.push_back(*at);
  }
  std::vector<bool> kept(lines.size(), false);
  for (auto node = way.rbegin(); node != way.rend() && left > 0; ++node) {
    kept[static_cast<std::size_t>(Index(*node))] = true;
    --left;
  }
  for (std::size_t i = 0; i < lines.size() && left > 0; ++i) {
    if (kept[i]) continue;
    kept[i] = true;
    --left;
  }
  return kept;
}

Children ChildrenOf(const std::vector<store::NodeLine>& lines,
                    const std::vector<bool>& kept) {
  Children children(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!kept[i] || !lines[i].parent) continue;
    children[static_cast<std::size_t>(Index(*lines[i].parent))].push_back(i);
  }
  return children;
}

struct Drawn {
  std::size_t node = 0;
  std::string branches;      // "|  `- ", in box-drawing characters.
  std::int64_t missing = 0;  // Nodes below it that are not drawn.
};

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
    drawn.push_back({at.node, at.branches});
    if (at.depth == max_depth) continue;
    const auto& below = children[at.node];
    for (std::size_t i = below.size(); i-- > 0;) {
      const bool last = i + 1 == below.size();
      stack.push_back({below[i], at.stem + (last ? "   " : "│  "),
                       at.stem + (last ? "└─ " : "├─ "), at.depth + 1});
    }
  }
  return drawn;
}

// Counts each at the nearest of its ancestors that is drawn.
void CountMissing(const std::vector<store::NodeLine>& lines,
                  std::vector<Drawn>& drawn) {
  std::vector<bool> is_drawn(lines.size(), false);
  for (const Drawn& each : drawn) is_drawn[each.node] = true;
  std::vector<std::int64_t> below(lines.size(), 0);
  for (std::size_t i = lines.size(); i-- > 1;) {
    if (is_drawn[i]) continue;
    below[static_cast<std::size_t>(Index(*lines[i].parent))] += 1 + below[i];
  }
  for (Drawn& each : drawn) each.missing = below[each.node];
}

std::vector<Drawn> DrawnOf(const std::vector<store::NodeLine>& lines,
                           const View& view, std::optional<NodeId> best) {
  std::vector<Drawn> drawn =
      Draw(ChildrenOf(lines, Kept(lines, view.limit, best)), view.depth);
  CountMissing(lines, drawn);
  return drawn;
}

Colour ColourOf(const store::NodeLine& line, bool is_best) {
  if (is_best) return Colour::kCyan;
  if (line.verdict == Verdict::kPassed) return Colour::kGreen;
  return line.verdict == Verdict::kInconclusive ? Colour::kYellow
                                                : Colour::kRed;
}

// The last generations, if not all branches leave room for the number.
std::string BranchesWithin(std::string branches, std::size_t cells) {
  constexpr std::size_t kGeneration = 3;  // Cells of each.
  const std::size_t wide = DisplayWidth(branches);
  if (wide <= cells) return branches;
  const std::size_t kept = std::max(cells / kGeneration, std::size_t{2}) - 1;
  // Every character takes a cell.
  std::size_t at = 0;
  for (std::size_t left = wide - kept * kGeneration; left > 0; --left) {
    do {
      ++at;
    } while ((static_cast<unsigned char>(branches[at]) & 0xC0U) == 0x80U);
  }
  return "..." + branches.substr(at);
}

// "|  `- 12 tile(i, 32)", in at most so many cells.
std::string Label(const Drawn& drawn, const store::NodeLine& line,
                  std::optional<std::size_t> cells) {
  const std::string number =
      std::to_string(Index(line.node)) + (line.parent ? "" : " root");
  std::string label = drawn.branches;
  if (cells) {
    label = BranchesWithin(label, *cells - std::min(*cells, number.size()));
  }
  label += number;
  if (line.technique.empty() || !line.parent) return label;
  if (!cells) return label + " " + OneLine(line.technique);
  const std::size_t left = *cells - std::min(*cells, DisplayWidth(label) + 1);
  constexpr std::size_t kLeast = 4;  // Less says nothing.
  return left < kLeast ? label : label + " " + Shorten(line.technique, left);
}

std::string Outcome(const Drawn& drawn, const store::NodeLine& line,
                    bool is_best) {
  std::string text;
  if (line.verdict == Verdict::kPassed) {
    text = engine::DurationText(line.runtime_s.value_or(0.0));
    text.resize(std::max<std::size_t>(text.size(), 8), ' ');
    text += "  " + TimesText(line.speedup ? line.speedup->ratio : 1.0);
    if (is_best) text += "  best";
  } else {
    text = std::string(Name(line.verdict));
    if (line.is_quarantined) text += "  (quarantined)";
  }
  if (drawn.missing > 0) {
    text += "  (" + std::to_string(drawn.missing) + " more below)";
  }
  return text;
}

void PrintTree(const std::vector<store::NodeLine>& lines, const View& view,
               std::optional<NodeId> best, Streams& streams) {
  constexpr std::size_t kWidest = 100;  // Deeper labels push theirs outwards.
  constexpr std::size_t kLeast = 12;    // Of a terminal, for a label.
  const std::vector<Drawn> drawn = DrawnOf(lines, view, best);
  std::vector<std::string> outcomes;
  std::size_t widest = 0;
  std::int64_t missing = 0;
  for (const Drawn& each : drawn) {
    const store::NodeLine& line = lines[each.node];
    outcomes.push_back(Outcome(each, line, best == line.node));
    widest = std::max(widest, DisplayWidth(outcomes.back()));
    missing += each.missing;
  }
  std::optional<std::size_t> cells;  // For a label.
  if (view.columns) {
    cells =
        std::max(kLeast, *view.columns - std::min(*view.columns, widest + 2));
  }
  std::vector<std::string> labels;
  std::size_t width = 0;
  for (const Drawn& each : drawn) {
    labels.push_back(Label(each, lines[each.node], cells));
    const std::size_t wide = DisplayWidth(labels.back());
    if (wide <= cells.value_or(kWidest)) width = std::max(width, wide);
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const store::NodeLine& line = lines[drawn[i].node];
    const std::size_t wide = std::max(DisplayWidth(labels[i]), width) + 2;
    std::string outcome = std::move(outcomes[i]);
    if (view.columns) {
      outcome = Shorten(outcome, *view.columns - std::min(*view.columns, wide));
    }
    streams.out << labels[i] << std::string(wide - DisplayWidth(labels[i]), ' ')
                << Paint(streams, ColourOf(line, best == line.node), outcome)
                << "\n";
  }
  if (missing == 0) return;
  const bool is_limited =
      view.limit > 0 && static_cast<std::size_t>(view.limit) < lines.size();
  streams.out << "... " << missing << " more below; "
              << (is_limited ? "--limit 0 shows all" : "--depth N shows more")
              << "\n";
}

// All of them, unless fewer are asked for.
void PrintJson(const std::vector<store::NodeLine>& lines,
               const Invocation& invocation, std::optional<NodeId> best,
               Streams& streams) {
  const auto depth = invocation.Count("depth");
  const std::vector<bool> kept =
      Kept(lines, invocation.Count("limit").value_or(0), best);
  std::vector<std::int64_t> depths(lines.size(), 0);
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const store::NodeLine& line : lines) {
    const auto i = static_cast<std::size_t>(Index(line.node));
    if (line.parent) {
      depths[i] = depths[static_cast<std::size_t>(Index(*line.parent))] + 1;
    }
    if (!kept[i] || (depth && depths[i] > *depth)) continue;
    nlohmann::ordered_json node = {
        {"node", Index(line.node)},      {"parent", nullptr},
        {"verdict", Name(line.verdict)}, {"quarantined", line.is_quarantined},
        {"runtime_s", nullptr},          {"speedup", nullptr},
        {"technique", line.technique}};
    if (line.parent) node["parent"] = Index(*line.parent);
    if (line.runtime_s) node["runtime_s"] = *line.runtime_s;
    node.update(SpeedupJson(line.speedup));
    if (line.same_as) node["same_as"] = Index(*line.same_as);
    nodes.push_back(std::move(node));
  }
  PrintDocument(nodes, streams.out);
}

Result<Exit> RunTree(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(lines, store::ReadTree(database, campaign.id));
  TRY(leaders, store::ReadLeaders(database, campaign.id, 1));
  std::optional<NodeId> best;
  if (!leaders.empty()) best = leaders.front().line.node;
  if (invocation.Has("json")) {
    PrintJson(lines, invocation, best, streams);
    return Exit::kDone;
  }
  if (lines.empty()) {
    return Fail(Errc::kNotFound, campaign.spec.name + ": has no node yet");
  }
  PrintTree(lines, ViewOf(invocation, streams), best, streams);
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
          "  coppice tree --limit 0 --wide | less -S\n"
          "  coppice tree --db mine.db --campaign gemv.stark.s1\n",
      .options = {kCampaignOption,
                  {"limit", Takes::kCount, "N",
                   "nodes to draw (on a terminal 200); 0: all"},
                  {"depth", Takes::kCount, "N", "generations to draw (40)"},
                  {"wide", Takes::kNothing, "",
                   "whole lines, however wide the terminal is"},
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunTree,
  };
}

}  // namespace coppice::cli
