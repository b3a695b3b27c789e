#include "engine/cli/watch_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "engine/campaign/short_text.h"
#include "engine/cli/colour.h"
#include "engine/cli/counted.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/table.h"
#include "store/records/formatted.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

using Lines = std::vector<std::string>;
using Cells = std::vector<std::string>;

constexpr int kSteps = 8;  // Characters fill a cell in so many.
constexpr std::array kLower = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array kLeft = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

std::size_t Width(const Canvas& canvas) {
  return static_cast<std::size_t>(std::max(canvas.columns, 1));
}

std::string Fitted(const Canvas& canvas, std::string_view text) {
  return Shorten(text, Width(canvas));
}

std::string Dollars(double usd) { return Formatted("$%.2f", usd); }

std::string Repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

// "████▌     ": `share` of so many cells.
std::string Bar(double share, std::size_t cells, bool blocks) {
  const double filled =
      std::clamp(share, 0.0, 1.0) * static_cast<double>(cells);
  auto whole = static_cast<std::size_t>(filled);
  std::string bar = Repeated(blocks ? "█" : "#", whole);
  const int rest =
      static_cast<int>((filled - static_cast<double>(whole)) * kSteps);
  if (blocks && rest > 0 && whole < cells) {
    bar += kLeft.at(static_cast<std::size_t>(rest - 1));
    ++whole;
  }
  return bar + std::string(cells - whole, ' ');
}

// Rows in columns, two cells apart, all but the last as wide as their widest;
// without those that are empty in all.
Lines InColumns(const std::vector<Cells>& rows, const Canvas& canvas) {
  std::vector<std::size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  Lines lines;
  for (const Cells& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      line += row[i];
      if (i + 1 == row.size()) break;
      line.append(widths[i] - DisplayWidth(row[i]) + 2, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    lines.push_back(Fitted(canvas, line));
  }
  return lines;
}

Colour ColourOf(const std::string& state) {
  if (state == "running" || state == "finished") return Colour::kGreen;
  return state == "interrupted" ? Colour::kRed : Colour::kYellow;
}

std::int64_t CommittedOf(const store::CampaignRow& row) {
  return std::max<std::int64_t>(0, row.nodes - 1);
}

// Seconds that are left, by what the attempts took so far; none: it is not
// known, or nothing runs.
std::optional<double> LeftOf(const CampaignView& view) {
  const store::CampaignRow& row = view.standing.row;
  const std::int64_t done = CommittedOf(row);
  if (view.standing.state != "running" || done == 0) return std::nullopt;
  double left_s = view.elapsed_s / static_cast<double>(done) *
                  static_cast<double>(row.spec.budget_attempts - done);
  if (row.spec.budget_s) {
    left_s = std::min(left_s, *row.spec.budget_s - view.elapsed_s);
  }
  return std::max(left_s, 0.0);
}

Lines TitleOf(const CampaignView& view, const Canvas& canvas) {
  const Standing& standing = view.standing;
  const std::string state = standing.state;
  const std::string name = Shorten(
      standing.row.spec.name,
      std::max<std::size_t>(
          8, Width(canvas) - std::min(Width(canvas), state.size() + 2)));
  std::string line = Fitted(canvas, name + "  " + state);
  if (canvas.colour && line.ends_with(state)) {
    line.resize(line.size() - state.size());
    line += Paint(canvas.colour, ColourOf(state), state);
  }
  return {line,
          Fitted(canvas, "task " + standing.row.spec.task_name + ", policy " +
                             store::PolicyOf(standing.row.spec) + ", seed " +
                             std::to_string(standing.row.spec.seed))};
}

std::string ProgressOf(const CampaignView& view, const Canvas& canvas) {
  const store::CampaignRow& row = view.standing.row;
  const std::int64_t done = CommittedOf(row);
  const double share = row.spec.budget_attempts > 0
                           ? static_cast<double>(done) /
                                 static_cast<double>(row.spec.budget_attempts)
                           : 1.0;
  std::string text = "attempts " + std::to_string(done) + "/" +
                     std::to_string(row.spec.budget_attempts) + " ";
  std::string after = " " + engine::ClockText(view.elapsed_s) + " so far";
  if (const auto left = LeftOf(view)) {
    after += ", about " + engine::ClockText(*left) + " left";
  }
  const std::size_t used = DisplayWidth(text) + DisplayWidth(after) + 2;
  if (used + 6 <= Width(canvas)) {
    const std::size_t cells = std::min<std::size_t>(40, Width(canvas) - used);
    text += "[" + Bar(share, cells, canvas.blocks) + "]";
  }
  return Fitted(canvas, text + after);
}

std::string BestOf(const Standing& standing, const Canvas& canvas) {
  if (!standing.best) {
    return Fitted(canvas, standing.row.nodes == 0 ? "best: no root yet"
                                                  : "best: nothing passed yet");
  }
  std::string text = "best " + SpeedupText(*standing.best->speedup, kInterval) +
                     " at " + NodeText(standing.best->node);
  if (standing.rival && !standing.rival->IsToldApart()) {
    text += ", not told from " + NodeText(standing.rival->node);
  }
  return Paint(canvas.colour, Colour::kGreen, Fitted(canvas, text));
}

std::string VerdictsOf(const Standing& standing, const Canvas& canvas) {
  const VerdictCounts& verdicts = standing.totals.verdicts;
  const std::int64_t passed =
      verdicts.at(static_cast<std::size_t>(Verdict::kPassed));
  return Fitted(canvas, "verdicts: " + std::to_string(passed) + " passed, " +
                            engine::FailureText(verdicts));
}

std::string OfCap(double used, const std::optional<double>& cap) {
  return Dollars(used) + (cap ? " of " + Dollars(*cap) : "");
}

std::string SpendOf(const CampaignView& view, const Canvas& canvas) {
  const Spend& spend = view.spend;
  std::string text = "spent: " + OfCap(spend.campaign_usd, spend.cap_usd);
  if (spend.unsettled_usd > 0) {
    text += ", " + Dollars(spend.unsettled_usd) + " at most on the way";
  }
  text += "; today " + OfCap(spend.day_usd, spend.day_cap_usd);
  const store::Totals& totals = view.standing.totals;
  text += "; " + Counted(totals.calls, "call") + ", " +
          std::to_string(totals.input_tokens + totals.output_tokens) +
          " tokens";
  return Fitted(canvas, text);
}

// The curve with its scale at the left, its title above.
Lines CurveLines(const CampaignView& view, int rows, const Canvas& canvas) {
  constexpr int kScale = 8;  // Cells of "7.9x |".
  const std::int64_t attempts = CommittedOf(view.standing.row);
  if (rows < 3 || view.improvements.empty() || canvas.columns < kScale + 8) {
    return {};
  }
  Lines lines;
  const Lines curve =
      CurveOf(view.improvements, attempts, canvas.columns - kScale - 1,
              rows - 1, canvas.blocks);
  for (std::size_t i = 0; i < curve.size(); ++i) {
    std::string scale;
    if (i == 0) scale = TimesText(view.improvements.back().speedup);
    if (i + 1 == curve.size()) scale = "1x";
    scale = Shorten(scale, kScale - 2);
    scale.insert(0, kScale - 2 - scale.size(), ' ');
    lines.push_back(scale + (canvas.blocks ? " ▏" : " |") +
                    Paint(canvas.colour, Colour::kCyan, curve[i]));
  }
  const std::string last = Counted(attempts, "attempt");
  std::string axis(kScale, ' ');
  axis += "0";
  const auto width = static_cast<std::size_t>(canvas.columns) - 1;
  if (axis.size() + last.size() + 1 < width) {
    axis.append(width - axis.size() - last.size(), ' ');
    axis += last;
  }
  lines.push_back(axis);
  return lines;
}

Lines LeaderLines(const CampaignView& view, const Canvas& canvas) {
  std::vector<Cells> rows;
  for (std::size_t i = 0; i < view.leaders.size(); ++i) {
    const store::Leader& leader = view.leaders[i];
    const bool is_near =
        i > 0 &&
        Over(*view.leaders[0].line.speedup, *leader.line.speedup).Sign() == 0;
    rows.push_back({std::to_string(i + 1), NodeText(leader.line.node),
                    SpeedupText(*leader.line.speedup), is_near ? "~" : "",
                    leader.is_confirmed ? "confirmed" : "",
                    leader.line.parent ? leader.line.technique : "root"});
  }
  return InColumns(rows, canvas);
}

// What an attempt waits for.
std::string DoingOf(const store::InFlight& attempt) {
  if (!attempt.role.empty()) return "asks " + attempt.role;
  return attempt.stage == Stage::kCoded ? "is judged"
                                        : std::string(Name(attempt.stage));
}

Lines FlightLines(const CampaignView& view, const Canvas& canvas) {
  std::vector<Cells> rows;
  for (const store::InFlight& attempt : view.in_flight) {
    const double since_s = std::max(0.0, canvas.now_s - attempt.since_s);
    rows.push_back({"decision " + std::to_string(attempt.decision),
                    "on " + NodeText(attempt.parent), DoingOf(attempt),
                    engine::ClockText(since_s),
                    attempt.model.empty() ? attempt.policy : attempt.model});
  }
  return InColumns(rows, canvas);
}

std::string WhatHappened(const store::Happening& happening) {
  std::string text = happening.kind;
  if (happening.subject) {
    text += happening.kind == "adopted" || happening.kind == "policy"
                ? " decision "
                : " node ";
    text += std::to_string(*happening.subject);
  }
  if (happening.verdict) {
    text += ": " + (happening.speedup ? SpeedupText(*happening.speedup)
                                      : std::string(Name(*happening.verdict)));
  }
  // Who took it over is the name of a process on a machine.
  if (!happening.detail.empty() && happening.kind != "adopted") {
    text += ": " + happening.detail;
  }
  return text;
}

Lines EventLines(const CampaignView& view, const Canvas& canvas) {
  std::vector<Cells> rows;
  for (const store::Happening& happening : view.happenings) {
    const double ago_s = std::max(0.0, canvas.now_s - happening.at_s);
    rows.push_back(
        {engine::ClockText(ago_s) + " ago", WhatHappened(happening)});
  }
  return InColumns(rows, canvas);
}

struct Section {
  std::string title;
  Lines lines;
};

// So many lines for each section, its title among them, that all have as much
// as there is room for: a line for each in turn.  One that has room for its
// title alone is left out.
Lines Stacked(const std::vector<Section>& sections, std::size_t room,
              const Canvas& canvas) {
  std::vector<std::size_t> given(sections.size(), 0);
  for (bool gave = true; gave && room > 0;) {
    gave = false;
    for (std::size_t i = 0; i < sections.size() && room > 0; ++i) {
      if (sections[i].lines.empty()) continue;
      if (given[i] == sections[i].lines.size() + 1) continue;
      ++given[i];
      --room;
      gave = true;
    }
  }
  Lines all;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (given[i] < 2) continue;
    std::string title = sections[i].title;
    const std::size_t left_out = sections[i].lines.size() + 1 - given[i];
    if (left_out > 0) title += " (" + std::to_string(left_out) + " more)";
    all.push_back(Paint(canvas.colour, Colour::kYellow, Fitted(canvas, title)));
    all.insert(
        all.end(), sections[i].lines.begin(),
        sections[i].lines.begin() + static_cast<std::ptrdiff_t>(given[i] - 1));
  }
  return all;
}

Lines Cut(Lines lines, const Canvas& canvas) {
  if (canvas.rows <= 0) return lines;
  const auto rows = static_cast<std::size_t>(canvas.rows);
  if (lines.size() > rows) lines.resize(rows);
  return lines;
}

// What begins first: those that run, then those that may.
int PlaceOf(const Standing& standing) {
  if (standing.state == "running") return 0;
  return standing.state == "finished" ? 2 : 1;
}

}  // namespace

std::vector<std::string> CurveOf(const std::vector<store::Improvement>& steps,
                                 std::int64_t attempts, int columns, int rows,
                                 bool blocks) {
  const double top = steps.empty() ? 1.0 : steps.back().speedup;
  const int most = rows * kSteps;
  std::vector<int> heights;  // Of columns, in steps of cells.
  std::size_t next = 0;
  double best = 1.0;
  for (int column = 0; column < columns; ++column) {
    const std::int64_t until =
        columns == 1 ? attempts : attempts * column / (columns - 1);
    while (next < steps.size() && Index(steps[next].node) <= until) {
      best = std::max(best, steps[next++].speedup);
    }
    const double share = top > 1.0 ? std::log(best) / std::log(top) : 0.0;
    heights.push_back(std::clamp(
        1 + static_cast<int>(std::lround(share * (most - 1))), 1, most));
  }
  std::vector<std::string> lines;
  for (int row = rows - 1; row >= 0; --row) {
    std::string line;
    for (const int height : heights) {
      const int filled = std::clamp(height - row * kSteps, 0, kSteps);
      if (filled == 0) {
        line += ' ';
      } else {
        line += blocks ? kLower.at(static_cast<std::size_t>(filled - 1))
                       : (filled == kSteps || row == 0 ? "#" : ".");
      }
    }
    while (line.ends_with(' ')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> PictureOf(const CampaignView& view,
                                   const Canvas& canvas) {
  constexpr int kMostOfCurve = 9;
  Lines lines = TitleOf(view, canvas);
  lines.push_back(ProgressOf(view, canvas));
  lines.push_back(BestOf(view.standing, canvas));
  const Lines end = {VerdictsOf(view.standing, canvas), SpendOf(view, canvas)};
  const std::size_t fixed = lines.size() + end.size();
  const std::size_t rows =
      canvas.rows > 0 ? static_cast<std::size_t>(canvas.rows) : std::size_t{40};
  const std::size_t room = rows - std::min(rows, fixed);
  const int for_curve = std::min(kMostOfCurve, static_cast<int>(room / 3));
  const Lines curve = CurveLines(view, for_curve, canvas);
  lines.insert(lines.end(), curve.begin(), curve.end());
  lines.insert(lines.end(), end.begin(), end.end());
  const Lines lists =
      Stacked({{"leaders", LeaderLines(view, canvas)},
               {"in flight", FlightLines(view, canvas)},
               {"events, newest first", EventLines(view, canvas)}},
              room - curve.size(), canvas);
  lines.insert(lines.end(), lists.begin(), lists.end());
  return Cut(std::move(lines), canvas);
}

std::vector<std::string> PictureOf(const std::vector<Standing>& standings,
                                   const Canvas& canvas) {
  std::vector<const Standing*> order;
  for (const Standing& standing : standings) order.push_back(&standing);
  std::ranges::stable_sort(
      order, {}, [](const Standing* standing) { return PlaceOf(*standing); });
  std::vector<Cells> rows;
  for (const Standing* standing : order) {
    const store::CampaignRow& row = standing->row;
    rows.push_back(
        {Shorten(row.spec.name, std::max<std::size_t>(12, Width(canvas) / 3)),
         standing->state,
         std::to_string(CommittedOf(row)) + "/" +
             std::to_string(row.spec.budget_attempts),
         standing->best ? SpeedupText(*standing->best->speedup) : "-",
         standing->best
             ? "node " + WinnerText(standing->best->node, standing->rival)
             : "-",
         standing->totals.cost_usd > 0 ? Dollars(standing->totals.cost_usd)
                                       : "",
         engine::FailureText(standing->totals.verdicts)});
  }
  Lines lines = {
      Paint(canvas.colour, Colour::kYellow,
            Fitted(canvas, std::to_string(standings.size()) + " campaigns"))};
  for (std::string& line : InColumns(rows, canvas)) {
    lines.push_back(std::move(line));
  }
  return Cut(std::move(lines), canvas);
}

}  // namespace coppice::cli
