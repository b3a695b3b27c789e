// coppice tree: nodes, drawn below their parents.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/rival.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/colour.h"
#include "engine/cli/counted.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/table.h"
#include "engine/steering/steering.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/read/relatives.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"
#include "store/write/directives.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kDefaultDepth = 40;
constexpr std::int64_t kDefaultLimit = 200;  // Some screens of nodes.

// What of a line fits where it is shown: cells; none: as many as it takes.
std::optional<std::size_t> ColumnsOf(const Invocation& invocation,
                                     const Streams& streams) {
  if (!streams.out_is_terminal || invocation.Has("wide")) return std::nullopt;
  return static_cast<std::size_t>(std::max(streams.columns, 20));
}

struct Drawn {
  const store::NodeLine* line = nullptr;
  std::string branches;      // "|  `- ", in box-drawing characters.
  std::int64_t depth = 0;    // Generations below the first.
  std::int64_t missing = 0;  // Children of it that are not drawn.
};

// Draws in depth-first order, children as committed.  There is no recursion,
// since a chain of attempts may be as long as a campaign.  The first is above
// all others.
std::vector<Drawn> Draw(const std::vector<store::NodeLine>& lines) {
  std::unordered_map<NodeId, std::vector<const store::NodeLine*>> children;
  for (const store::NodeLine& line : lines) {
    if (&line != lines.data()) children[*line.parent].push_back(&line);
  }
  struct Pending {
    Drawn drawn;
    std::string stem;  // What the lines below it begin with.
  };
  std::vector<Drawn> drawn;
  std::vector<Pending> stack{{{lines.data(), "", 0, 0}, ""}};
  while (!stack.empty()) {
    const Pending at = std::move(stack.back());
    stack.pop_back();
    drawn.push_back(at.drawn);
    const auto found = children.find(at.drawn.line->node);
    if (found == children.end()) continue;
    const auto& below = found->second;
    for (std::size_t i = below.size(); i-- > 0;) {
      const bool last = i + 1 == below.size();
      stack.push_back(
          {{below[i], at.stem + (last ? "└─ " : "├─ "), at.drawn.depth + 1, 0},
           at.stem + (last ? "   " : "│  ")});
    }
  }
  return drawn;
}

// Only where the page ends there may be children that are not on it.
Result<void> CountMissing(store::Database& database, CampaignId campaign,
                          const store::TreePage& page,
                          std::vector<Drawn>& drawn) {
  const bool is_full = page.limit > 0 && std::ssize(drawn) == page.limit;
  std::unordered_map<NodeId, std::int64_t> shown;
  for (const Drawn& each : drawn) {
    if (each.line->parent) ++shown[*each.line->parent];
  }
  return store::WithRelatives(
      database, campaign, [&](const FamilyTree& tree) -> Result<void> {
        for (Drawn& each : drawn) {
          if (!is_full && each.depth != page.depth) continue;
          const NodeId node = each.line->node;
          each.missing =
              tree.CountRelatives(Kinship::kChild, node) - shown[node];
        }
        return {};
      });
}

Colour ColourOf(const store::NodeLine& line, bool is_best) {
  if (is_best) return Colour::kCyan;
  if (line.verdict == Verdict::kPassed) return Colour::kGreen;
  return line.verdict == Verdict::kInconclusive ? Colour::kYellow
                                                : Colour::kRed;
}

// The last generations, if not all branches leave room for the number.
std::string RootSubtreesWithin(std::string branches, std::size_t cells) {
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

// "|  `- 12 tile(i, 32)", in at most so many cells; "12 x 3": it is a
// combination of its parent with node 3.
std::string Label(const Drawn& drawn, std::optional<std::size_t> cells) {
  const store::NodeLine& line = *drawn.line;
  std::string number = std::to_string(Index(line.node));
  if (line.mate) number += " x " + std::to_string(Index(*line.mate));
  if (!line.parent) number += " root";
  std::string label = drawn.branches;
  if (cells) {
    label = RootSubtreesWithin(label, *cells - std::min(*cells, number.size()));
  }
  label += number;
  if (line.technique.empty() || !line.parent) return label;
  if (!cells) return label + " " + OneLine(line.technique);
  const std::size_t left = *cells - std::min(*cells, DisplayWidth(label) + 1);
  constexpr std::size_t kLeast = 4;  // Less says nothing.
  return left < kLeast ? label : label + " " + Shorten(line.technique, left);
}

// The node that wins, and the one that comes next.
struct Podium {
  std::optional<NodeId> best;
  std::optional<engine::Rival> rival;

  std::set<NodeId> frozen{};  // By people, with all below them.
  std::set<NodeId> pinned{};

  bool IsNear() const { return rival && !rival->IsToldApart(); }
};

std::string OutcomeText(const Drawn& drawn, const Podium& podium) {
  const store::NodeLine& line = *drawn.line;
  std::string text;
  if (line.verdict == Verdict::kPassed) {
    text = SpeedupText(*line.speedup);
    // No other was measured when the root was.
    if (!line.parent) text += " = " + engine::DurationText(*line.runtime_s);
    if (podium.best == line.node)
      text += podium.IsNear() ? "  best ~" : "  best";
  } else {
    text = std::string(Name(line.verdict));
    if (line.is_quarantined) text += "  (quarantined)";
  }
  if (podium.frozen.contains(line.node)) text += "  frozen";
  if (podium.pinned.contains(line.node)) text += "  pinned";
  if (drawn.missing > 0) {
    text += "  (" + Counted(drawn.missing, "more child", "more children") + ")";
  }
  return text;
}

void PrintLines(const std::vector<Drawn>& drawn,
                std::optional<std::size_t> columns, const Podium& podium,
                Streams& streams) {
  constexpr std::size_t kWidest = 100;  // Deeper labels push theirs outwards.
  constexpr std::size_t kLeast = 12;    // Columns for a label, at least.
  std::vector<std::string> outcomes;
  std::size_t widest = 0;
  for (const Drawn& each : drawn) {
    outcomes.push_back(OutcomeText(each, podium));
    widest = std::max(widest, DisplayWidth(outcomes.back()));
  }
  std::optional<std::size_t> cells;  // For a label.
  if (columns) {
    cells = std::max(kLeast, *columns - std::min(*columns, widest + 2));
  }
  std::vector<std::string> labels;
  std::size_t width = 0;
  for (const Drawn& each : drawn) {
    labels.push_back(Label(each, cells));
    const std::size_t wide = DisplayWidth(labels.back());
    if (wide <= cells.value_or(kWidest)) width = std::max(width, wide);
  }
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const store::NodeLine& line = *drawn[i].line;
    const std::size_t wide = std::max(DisplayWidth(labels[i]), width) + 2;
    std::string outcome = std::move(outcomes[i]);
    if (columns) {
      outcome = Shorten(outcome, *columns - std::min(*columns, wide));
    }
    streams.out << labels[i] << std::string(wide - DisplayWidth(labels[i]), ' ')
                << Paint(streams.colour,
                         ColourOf(line, podium.best == line.node), outcome)
                << "\n";
  }
  const bool is_best_drawn = std::ranges::any_of(
      drawn, [&](const Drawn& each) { return podium.best == each.line->node; });
  if (!is_best_drawn || !podium.IsNear()) return;
  const std::string note =
      "~: cannot tell it from " + NodeText(podium.rival->node) + ", the next";
  streams.out << Shorten(note, columns.value_or(note.size())) << "\n";
}

// What there is beside what is drawn, and how to see it.
void PrintRest(const store::TreePage& page, const store::CampaignRow& campaign,
               const std::vector<Drawn>& drawn, Streams& streams) {
  const bool is_any = std::ranges::any_of(
      drawn, [](const Drawn& each) { return each.missing > 0; });
  if (!is_any) return;
  streams.out << "... ";
  if (page.top == kRootNode) {
    streams.out << campaign.nodes - std::ssize(drawn) << " more below; ";
  } else {
    streams.out << "more below; ";
  }
  const bool is_full = page.limit > 0 && std::ssize(drawn) == page.limit;
  streams.out << (is_full ? "--limit 0 shows all" : "--depth N shows more")
              << ", --from NODE what is below one\n";
}

void PrintJson(const std::vector<store::NodeLine>& lines, const Podium& podium,
               Streams& streams) {
  ArrayPrinter nodes(streams.out);
  for (const store::NodeLine& line : lines) {
    nlohmann::ordered_json node = {{"node", Index(line.node)},
                                   {"parent", OrNull(line.parent)},
                                   {"verdict", Name(line.verdict)},
                                   {"quarantined", line.is_quarantined},
                                   {"runtime_s", OrNull(line.runtime_s)},
                                   {"technique", line.technique}};
    node.update(SpeedupJson(line.speedup));
    if (line.mate) node["mate"] = Index(*line.mate);
    if (line.same_as) node["same_as"] = Index(*line.same_as);
    if (podium.frozen.contains(line.node)) node["frozen"] = true;
    if (podium.pinned.contains(line.node)) node["pinned"] = true;
    nodes.Add(node);
  }
  nodes.Finish();
}

// People get a page; programs get all, unless they say otherwise.
Result<store::TreePage> PageOf(const Invocation& invocation,
                               store::Database& database,
                               const store::CampaignRow& campaign,
                               const Podium& podium) {
  const bool is_json = invocation.Has("json");
  store::TreePage page;
  page.depth = invocation.Count("depth");
  if (!page.depth && !is_json) page.depth = kDefaultDepth;
  page.limit = invocation.Count("limit").value_or(is_json ? 0 : kDefaultLimit);
  if (const auto word = invocation.Text("from")) {
    TRY_ASSIGN(page.top, ChooseNode(database, campaign, *word));
  }
  page.way_to = podium.best;
  return page;
}

Result<Podium> PodiumOf(store::Database& database,
                        const store::CampaignRow& campaign) {
  TRY(leaders, store::ReadLeaders(database, campaign.id, 2));
  Podium podium;
  if (!leaders.empty()) podium.best = leaders.front().line.node;
  podium.rival = engine::RivalOf(leaders);
  TRY(directives, store::ReadDirectives(database, campaign.id));
  const auto in_force = InForce(directives, campaign.attempts);
  for (const engine::FreezeMark& mark : engine::FreezeMarks(in_force)) {
    if (mark.freezes) {
      podium.frozen.insert(mark.node);
    } else {
      podium.frozen.erase(mark.node);
    }
  }
  for (const Directive& each : directives) {
    if (each.kind == DirectiveKind::kPin &&
        each.outcome == DirectiveOutcome::kApplied) {
      podium.pinned.insert(*each.node);
    }
  }
  return podium;
}

Result<Exit> RunTree(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(podium, PodiumOf(database, campaign));
  TRY(page, PageOf(invocation, database, campaign, podium));
  TRY(lines, store::ReadTree(database, campaign.id, page));
  if (invocation.Has("json")) {
    PrintJson(lines, podium, streams);
    return Exit::kDone;
  }
  if (lines.empty()) {
    return Fail(Errc::kNotFound, campaign.spec.name + ": has no node yet");
  }
  std::vector<Drawn> drawn = Draw(lines);
  TRY_DONE(CountMissing(database, campaign.id, page, drawn));
  PrintLines(drawn, ColumnsOf(invocation, streams), podium, streams);
  PrintRest(page, campaign, drawn, streams);
  return Exit::kDone;
}

}  // namespace

Verb TreeVerb() {
  return {
      .name = "tree",
      .summary = "nodes, drawn below their parents",
      .examples =
          "  coppice tree\n"
          "  coppice tree --depth 3\n"
          "  coppice tree --from 17\n"
          "  coppice tree --limit 0 --wide | less -S\n"
          "  coppice tree --db mine.db --campaign gemv.stark.s1\n",
      .options = {kCampaignOption,
                  {"from", Takes::kText, "NODE",
                   "it and what is below it; a number, or best"},
                  {"limit", Takes::kCount, "N", "nodes to draw (200); 0: all"},
                  {"depth", Takes::kCount, "N", "generations to draw (40)"},
                  {"wide", Takes::kNothing, "",
                   "whole lines, however wide the terminal is"},
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunTree,
  };
}

}  // namespace coppice::cli
