#include "engine/cli/report_page.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/embedded.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/html.h"
#include "engine/cli/report_curve.h"
#include "engine/documents/measured_text.h"
#include "engine/process/version.h"
#include "store/records/formatted.h"
#include "store/records/joined.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

constexpr std::size_t kMostOfSource = 200'000;  // Bytes that are shown,
constexpr std::size_t kMostOfDiffs = 300'000;   // of all steps together,
constexpr std::size_t kMostOfLog = 2'000;
constexpr std::size_t kMostGroups = 30;

// Bytes at most, and no half of a character.
std::string_view Cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 &&
         (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
    --most;
  }
  return text.substr(0, most);
}

std::string Number(double value, const char* format = "%.1f") {
  return Formatted(format, value);
}

std::string DateText(double unix_s) {
  using namespace std::chrono;
  const sys_seconds at{seconds(static_cast<std::int64_t>(std::floor(unix_s)))};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss time{at - day};
  return Formatted(
      "%04d-%02u-%02u %02d:%02d UTC", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(time.hours().count()),
      static_cast<int>(time.minutes().count()));
}

// Writes elements.  What Text and the like are given is text, and what Raw is
// given is markup of ours.
class Writer {
 public:
  explicit Writer(const engine::Redaction& redaction) : redaction_(redaction) {}

  Writer& Raw(std::string_view markup) {
    page_ += markup;
    return *this;
  }
  Writer& Text(std::string_view text) {
    page_ += Escaped(redaction_.OfRemark(text));
    return *this;
  }
  // A kernel, or a change of one.
  Writer& Source(std::string_view text) {
    page_ += Escaped(redaction_.OfSource(text));
    return *this;
  }
  Writer& Cell(std::string_view text, const char* kind = "") {
    Raw("<td").Raw(*kind == '\0' ? "" : " class=").Raw(kind).Raw(">");
    return Text(text);
  }
  Writer& Tile(std::string_view name, std::string_view value,
               const char* kind = "") {
    Raw("<div><dt>").Text(name).Raw("</dt><dd");
    if (*kind != '\0') Raw(" class=").Raw(kind);
    return Raw(">").Text(value).Raw("</dd></div>\n");
  }

  std::string Take() && { return std::move(page_); }

 private:
  const engine::Redaction& redaction_;
  std::string page_;
};

struct Head {
  Head(const char* words, const char* kind_of_cells = "")
      : title(words), kind(kind_of_cells) {}

  const char* title;
  const char* kind;  // A class of the style.
};
Head Digits(const char* title) { return {title, "n"}; }
Head Breakable(const char* title) { return {title, "word"}; }
using Cells = std::vector<std::string>;

// Writes a table up to its rows.  One that is wider than the page is moved by
// itself.
void BeginTable(Writer& page, std::string_view caption,
                const std::vector<Head>& heads, const char* kind = "") {
  page.Raw("<p class=soft>")
      .Text(caption)
      .Raw("</p><div class=wide tabindex=0 role=region aria-label=\"")
      .Text(caption)
      .Raw("\"><table")
      .Raw(*kind == '\0' ? "" : " class=")
      .Raw(kind)
      .Raw("><thead><tr>");
  for (const Head& head : heads) {
    page.Raw(*head.kind == 'n' ? "<th scope=col class=n>" : "<th scope=col>")
        .Raw(head.title)
        .Raw("</th>");
  }
  page.Raw("</tr></thead><tbody>\n");
}

void EndTable(Writer& page) { page.Raw("</tbody></table></div>\n"); }

// Writes one of texts alone.
void WriteTable(Writer& page, std::string_view caption,
                const std::vector<Head>& heads, const std::vector<Cells>& rows,
                const char* kind = "") {
  BeginTable(page, caption, heads, kind);
  for (const Cells& row : rows) {
    page.Raw("<tr>");
    for (std::size_t i = 0; i < row.size(); ++i) {
      page.Cell(row[i], heads[i].kind);
    }
    page.Raw("\n");
  }
  EndTable(page);
}

std::string OrNothing(const std::optional<Speedup>& speedup) {
  return speedup ? SpeedupText(*speedup) : "";
}

const store::Leader* BestOf(const ReportFacts& facts) {
  return facts.leaders.empty() ? nullptr : &facts.leaders.front();
}

// Who a node is from, if it is no agent's.
void WriteWhom(Writer& page, const ReportFacts& facts, NodeId node) {
  const auto claim = facts.claims.find(node);
  if (claim == facts.claims.end()) return;
  const std::string& author = claim->second.author;
  page.Raw(" <span class=by>")
      .Text(author.empty() ? "submitted" : "by " + author)
      .Raw("</span>");
}

std::int64_t AttemptsOf(const ReportFacts& facts) {
  return std::max<std::int64_t>(0, facts.standing.row.nodes - 1);
}

void WriteSummary(Writer& page, const ReportFacts& facts) {
  const Standing& standing = facts.standing;
  const store::CampaignRow& row = standing.row;
  page.Raw("<dl class=tiles>\n");
  if (const store::Leader* best = BestOf(facts)) {
    page.Tile("best, over the root", SpeedupText(*best->line.speedup), "best");
    page.Tile("which is", NodeText(best->line.node) +
                              (best->is_confirmed ? ", confirmed" : ""));
  } else {
    page.Tile("best", "nothing passed");
  }
  page.Tile("attempts", std::to_string(AttemptsOf(facts)) + " of " +
                            std::to_string(row.spec.budget_attempts));
  page.Tile("failed", std::to_string(facts.failing));
  page.Tile("state", standing.state);
  page.Tile("ran for", engine::ClockText(row.elapsed_s));
  if (row.root_runtime_s) {
    page.Tile("the root takes", engine::DurationText(*row.root_runtime_s));
  }
  page.Tile("model calls", std::to_string(standing.totals.calls) + ", " +
                               DollarText(standing.totals.cost_usd));
  page.Raw("</dl>\n");
  if (!BestOf(facts)) return;
  const store::Leader& best = *BestOf(facts);
  page.Raw("<p>");
  if (best.line.node == kRootNode) {
    page.Text("Nothing that was tried beats the root.");
  } else if (best.line.speedup->Sign() <= 0) {
    page.Text("It cannot be told that the best is faster than the root.");
  } else {
    page.Text("The best is " + SpeedupText(*best.line.speedup, kInterval) +
              " the root's speed" +
              (row.root_runtime_s ? ": " + TimeBySpeedup(*row.root_runtime_s,
                                                         *best.line.speedup)
                                  : "") +
              ".");
  }
  if (standing.rival) {
    page.Text(" " +
              std::string(standing.rival->IsToldApart()
                              ? "It is told apart from the next best, "
                              : "It cannot be told apart from the next "
                                "best, ") +
              NodeText(standing.rival->node) + ".");
  }
  page.Raw("</p>\n");
}

void WriteCurve(Writer& page, const ReportFacts& facts) {
  page.Raw("<figure>")
      .Raw(CurveDrawing(facts.improvements, facts.points))
      .Raw(
          "<figcaption>A step is a kernel that was faster than all before "
          "it. Dots are kernels that passed, marks below the line are "
          "attempts that failed.");
  if (facts.points.size() > kMostDots) {
    page.Raw(
        " Of so many there is one dot for each column: the fastest of "
        "it.");
  }
  page.Raw("</figcaption></figure>\n");
}

// A speedup's interval on a scale from `low` to `high`, by logarithms.
std::string IntervalDrawing(const Speedup& speedup, double low, double high) {
  constexpr double kWidth = 140.0;
  const double span = std::log(high) - std::log(low);
  const auto x = [&](double value) {
    return span > 0.0
               ? 5.0 + (kWidth - 10.0) *
                           std::clamp((std::log(value) - std::log(low)) / span,
                                      0.0, 1.0)
               : kWidth / 2;
  };
  std::string svg =
      "<svg width=140 height=14 viewBox=\"0 0 140 14\" aria-hidden=true>";
  if (speedup.interval && speedup.interval->low > 0.0) {
    svg += "<path class=bar d=\"M" + Number(x(speedup.interval->low)) + " 7H" +
           Number(x(speedup.interval->high)) + "\"/>";
  }
  return svg + "<circle class=knob cx=" + Number(x(speedup.ratio)) +
         " cy=7 r=3.5 /></svg>";
}

void WriteLeaders(Writer& page, const ReportFacts& facts) {
  if (facts.leaders.empty()) {
    page.Raw("<p>Nothing passed.</p>\n");
    return;
  }
  double low = 1e300;
  double high = 0.0;
  for (const store::Leader& leader : facts.leaders) {
    const Speedup& speedup = *leader.line.speedup;
    low = std::min(
        {low, speedup.ratio, speedup.interval ? speedup.interval->low : 1e300});
    high = std::max(
        {high, speedup.ratio, speedup.interval ? speedup.interval->high : 0.0});
  }
  low = std::max(low, 1e-9);
  BeginTable(page,
             "Kernels that pass, the fastest first; speedups over the "
             "root with 95 % intervals",
             {Digits("rank"), Digits("node"), Digits("speedup"), "interval",
              "beside the first", "confirmed", "technique"});
  for (std::size_t i = 0; i < facts.leaders.size(); ++i) {
    const store::Leader& leader = facts.leaders[i];
    const Speedup& speedup = *leader.line.speedup;
    const bool is_near =
        Over(*facts.leaders.front().line.speedup, speedup).Sign() == 0;
    page.Raw("<tr>")
        .Cell(std::to_string(i + 1), "n")
        .Cell(std::to_string(Index(leader.line.node)), "n")
        .Cell(SpeedupText(speedup), "n")
        .Raw("<td>")
        .Raw(IntervalDrawing(speedup, low, high))
        .Cell(i == 0    ? ""
              : is_near ? "not told from it"
                        : "slower")
        .Cell(leader.is_confirmed ? "yes" : "");
    page.Raw("<td class=word><code>")
        .Text(leader.line.parent ? leader.line.technique : "the root")
        .Raw("</code>");
    WriteWhom(page, facts, leader.line.node);
    page.Raw("\n");
  }
  EndTable(page);
}

// Lines in the colours of what they are.
void WriteDiff(Writer& page, std::string_view diff) {
  page.Raw("<pre tabindex=0>");
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size());
    const std::string_view line = diff.substr(0, end);
    diff.remove_prefix(std::min(end + 1, diff.size()));
    const bool is_name = line.starts_with("+++") || line.starts_with("---");
    const char* kind = is_name                  ? "<span>"
                       : line.starts_with("@@") ? "<span class=h>"
                       : line.starts_with('+')  ? "<span class=a>"
                       : line.starts_with('-')  ? "<span class=d>"
                                                : "<span>";
    page.Raw(kind).Source(line).Raw("</span>");
  }
  page.Raw("</pre>\n");
}

void WriteStep(Writer& page, const ReportFacts& facts, const LineageStep& step,
               const std::optional<Speedup>& before, std::size_t& room) {
  const store::NodeLine& line = step.ancestor.line;
  page.Raw("<li><strong>").Text(NodeText(line.node)).Raw("</strong> ");
  page.Text(line.speedup ? SpeedupText(*line.speedup)
                         : std::string(Name(line.verdict)));
  if (line.speedup && before) {
    page.Text(", " + TimesText(Over(*line.speedup, *before).ratio) +
              " the speed of the step before");
  }
  page.Raw(": <code>")
      .Text(line.parent ? line.technique : "the root")
      .Raw("</code>");
  WriteWhom(page, facts, line.node);
  if (!step.ancestor.advice.empty()) {
    page.Raw("<p class=soft>").Text(step.ancestor.advice).Raw("</p>");
  }
  if (!step.diff.empty()) {
    const std::string_view shown = Cut(step.diff, room);
    room -= shown.size();
    page.Raw("<details><summary>what changed</summary>\n");
    WriteDiff(page, shown);
    if (shown.size() < step.diff.size()) {
      page.Raw(
          "<p>The rest is left out, since the report has room for "
          "300 kB of changes.</p>\n");
    }
    page.Raw("</details>");
  }
  page.Raw("</li>\n");
}

void WriteLineage(Writer& page, const ReportFacts& facts) {
  if (facts.lineage.empty()) {
    page.Raw("<p>There is no best.</p>\n");
    return;
  }
  page.Raw("<ol class=way start=0>\n");
  std::optional<Speedup> before;
  std::size_t room = kMostOfDiffs;
  for (const LineageStep& step : facts.lineage) {
    WriteStep(page, facts, step, before, room);
    before = step.ancestor.line.speedup;
  }
  page.Raw("</ol>\n");
}

void WriteSource(Writer& page, const ReportFacts& facts) {
  if (facts.lineage.empty()) {
    page.Raw("<p>There is none.</p>\n");
    return;
  }
  const std::string_view shown = Cut(facts.source, kMostOfSource);
  page.Raw("<pre tabindex=0>").Source(shown).Raw("</pre>\n");
  if (shown.size() < facts.source.size()) {
    page.Text("The first 200 kB of " + std::to_string(facts.source.size()) +
              " bytes.");
  }
}

// The evaluation that says most: one of the full tier, if there is one.
const Evaluation* MeasuredBy(const ReportFacts& facts) {
  const Evaluation* found = nullptr;
  for (const Evaluation& evaluation : facts.evaluations) {
    const bool counts =
        evaluation.verdict == Verdict::kPassed && !evaluation.workloads.empty();
    if (counts && (found == nullptr || evaluation.tier >= found->tier)) {
      found = &evaluation;
    }
  }
  return found;
}

void WriteWorkloads(Writer& page, const ReportFacts& facts) {
  const Evaluation* measured = MeasuredBy(facts);
  if (measured == nullptr) return;
  std::vector<Cells> rows;
  for (const WorkloadResult& result : measured->workloads) {
    const bool is_timed = !result.samples_s.empty();
    const auto median = [&](const std::vector<double>& samples_s) {
      return is_timed ? engine::DurationText(Median(samples_s)) : "";
    };
    rows.push_back({result.workload, median(result.samples_s),
                    median(result.root_samples_s),
                    is_timed ? WorkloadSpeedup(*measured, result) : "",
                    std::to_string(result.samples_s.size()),
                    std::to_string(result.discarded_samples),
                    Number(result.worst_error_ratio, "%.3g"),
                    std::to_string(result.calls_verified)});
  }
  WriteTable(page,
             "The best on each workload, in its evaluation of the " +
                 std::string(TierName(measured->tier)) + " tier",
             {"workload", Digits("median"), Digits("root's median"),
              Digits("speedup"), Digits("rounds"), Digits("made again"),
              Digits("error / allowed"), Digits("calls verified")},
             rows);
}

void WriteFailure(Writer& page, const FailureExample& failure) {
  const engine::FailureGroup& group = failure.group;
  page.Raw("<tr>")
      .Cell(std::to_string(group.count), "n")
      .Raw("<td class=fail>")
      .Text(Name(group.verdict));
  if (!group.rule.empty()) page.Text(" (" + group.rule + ")");
  page.Raw("<td class=word>");
  const std::string_view log = Cut(failure.log, kMostOfLog);
  page.Raw("<details><summary>")
      .Text(group.line.empty() ? "nothing was said" : Cut(group.line, 300))
      .Raw("</summary><pre tabindex=0>")
      .Text(log)
      .Raw(log.size() < failure.log.size() ? "\n..." : "")
      .Raw("</pre></details>");
  std::vector<std::pair<std::int64_t, std::string>> techniques;
  for (const auto& [name, count] : group.techniques) {
    techniques.emplace_back(-count, name);
  }
  std::ranges::sort(techniques);
  page.Raw("<td class=word>");
  for (std::size_t i = 0; i < techniques.size() && i < 3; ++i) {
    page.Raw(i == 0 ? "" : ", ")
        .Text(Cut(techniques[i].second, 80))
        .Text(" " + std::to_string(-techniques[i].first));
  }
  if (techniques.size() > 3) page.Raw(", ...");
  std::string nodes = Joined(group.nodes, ", ", [](std::int64_t node) {
    return std::to_string(node);
  });
  if (group.count > std::ssize(group.nodes)) nodes += ", ...";
  page.Cell(nodes).Raw("\n");
}

void WriteFailures(Writer& page, const ReportFacts& facts) {
  if (facts.failures.empty()) {
    page.Raw("<p>Nothing did.</p>\n");
    return;
  }
  BeginTable(page,
             Counted(facts.failing, "attempt") +
                 ", grouped by verdict and by the first line that "
                 "says why",
             {Digits("attempts"), "verdict", "why", "techniques", "nodes"});
  const std::size_t shown = std::min(kMostGroups, facts.failures.size());
  for (std::size_t i = 0; i < shown; ++i) {
    WriteFailure(page, facts.failures[i]);
  }
  EndTable(page);
  if (shown < facts.failures.size()) {
    page.Raw("<p>")
        .Text(Counted(facts.failures.size() - shown, "smaller group is",
                      "smaller groups are") +
              " left out.")
        .Raw("</p>\n");
  }
}

void WriteNodes(Writer& page, const ReportFacts& facts) {
  page.Raw("<details><summary>")
      .Text(Counted(facts.nodes.size(), "node") + " of " +
            std::to_string(facts.standing.row.nodes))
      .Raw("</summary>\n");
  std::vector<Cells> rows;
  for (const store::NodeLine& line : facts.nodes) {
    rows.push_back(
        {std::to_string(Index(line.node)),
         line.parent ? std::to_string(Index(*line.parent)) : "",
         std::string(line.is_quarantined ? "refuted" : Name(line.verdict)),
         OrNothing(line.speedup), std::string(Cut(line.technique, 60))});
  }
  WriteTable(page, "Nodes in the order of their commit; 0 is the root",
             {Digits("node"), Digits("parent"), "verdict", Digits("speedup"),
              "technique"},
             rows, "sorts");
  page.Raw("</details>\n");
}

void WriteSpend(Writer& page, const ReportFacts& facts) {
  page.Raw("<p>").Text(DollarText(facts.cost.cost_usd) + " for " +
                       Counted(facts.cost.improvements, "improvement"));
  if (facts.cost.usd_per_improvement) {
    page.Text(", " + DollarText(*facts.cost.usd_per_improvement) + " each");
  }
  if (facts.cost.unsettled_usd > 0) {
    page.Text("; calls without an answer may have cost another " +
              DollarText(facts.cost.unsettled_usd));
  }
  page.Raw(".</p>\n");
  if (facts.spend.empty()) return;
  std::vector<Cells> rows;
  for (const store::SpendLine& line : facts.spend) {
    rows.push_back({line.day, line.role, line.provider + ":" + line.model,
                    std::to_string(line.calls), std::to_string(line.failed),
                    std::to_string(line.input_tokens),
                    std::to_string(line.cached_input_tokens),
                    std::to_string(line.output_tokens),
                    DollarText(line.cost_usd)});
  }
  WriteTable(page, "Calls of models, by day (UTC), role and model",
             {"day", "role", Breakable("model"), Digits("calls"),
              Digits("failed"), Digits("tokens in"), Digits("cached"),
              Digits("tokens out"), Digits("cost")},
             rows);
}

// Where a setting is from, without the name of a file.
std::string_view PlaceOf(const std::string& origin) {
  if (origin == "default" || origin == "command line") return origin;
  return origin.starts_with("preset") ? "preset" : "file or variable";
}

// It names a file, a server, a variable or a command of the user's.
bool IsPrivate(const store::CampaignSetting& setting) {
  using config::Group;
  const config::Key* key = config::FindKey(setting.key);
  if (key == nullptr || key->Has(config::kUsersOwn | config::kOfUserAlone)) {
    return true;
  }
  const bool is_of_place =
      key->group == Group::kDatabase || key->group == Group::kData ||
      key->group == Group::kProviders || key->group == Group::kCache ||
      key->group == Group::kDevices;
  return is_of_place ||
         setting.value.find_first_of("/\\~") != std::string::npos;
}

void WriteSettings(Writer& page, const ReportFacts& facts) {
  const std::vector<store::CampaignSetting>& settings =
      facts.standing.row.spec.settings;
  page.Raw("<details><summary>")
      .Text(std::to_string(settings.size()) + " settings")
      .Raw("</summary>\n");
  std::vector<Cells> rows;
  for (const store::CampaignSetting& setting : settings) {
    if (IsPrivate(setting)) continue;
    rows.push_back(
        {setting.key, setting.value, std::string(PlaceOf(setting.origin))});
  }
  WriteTable(page,
             "As the campaign has them; what names files, servers and "
             "devices is left out",
             {"setting", Breakable("value"), "from"}, rows);
  page.Raw("</details>\n");
}

void WriteEnvironment(Writer& page, const Environment& environment) {
  page.Raw("<dl class=tiles>\n");
  const auto tile = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) page.Tile(name, value);
  };
  tile("hardware", environment.hardware);
  tile("threads", std::to_string(environment.threads));
  tile("system", environment.system);
  tile("driver", environment.driver);
  tile("compiler", environment.compiler);
  tile("flags", environment.flags);
  for (const auto& [name, version] : environment.libraries) {
    tile(name, version);
  }
  page.Raw("</dl>\n");
  if (environment.facts.empty()) return;
  page.Raw("<p>").Text(environment.facts).Raw("</p>\n");
}

void WriteBaselines(Writer& page, const ReportFacts& facts) {
  if (facts.baselines.empty()) return;
  std::vector<Cells> rows;
  for (const store::Baseline& baseline : facts.baselines) {
    rows.push_back(
        {baseline.name + (baseline.quoted ? " (measured elsewhere)" : ""),
         std::string(Name(baseline.verdict)), OrNothing(baseline.speedup),
         OrNothing(baseline.best_over)});
  }
  WriteTable(page, "The best beside others' ways to do the task",
             {"baseline", "verdict", Digits("over the root"),
              Digits("the best over it")},
             rows);
}

constexpr const char* kOwnProtocol =
    "<p>Root and candidate ran in turn in processes of their own, on fresh "
    "inputs that neither had seen, and every timed call was checked against "
    "expected values. A speedup is the root's time over the kernel's by such "
    "pairs of rounds; its interval covers 95 %. Rounds that something else on "
    "the machine disturbed were made again. A confirmed kernel passed the full "
    "tier, too: more calls and samples, in two sessions that agree. Two "
    "kernels are told apart only if the interval of their ratio leaves 1 out "
    "by half a per cent.</p>\n";

void WriteJudging(Writer& page, const ReportFacts& facts) {
  const std::string protocol = SettingOf(facts.standing.row.spec, "protocol");
  if (facts.is_simulated) {
    page.Raw(
        "<p>The task is simulated: its kernels are points of a landscape, "
        "and no program ran.</p>\n");
  } else if (!protocol.empty() && protocol != "coppice") {
    page.Raw("<p>By the protocol of <code>")
        .Text(protocol)
        .Raw(
            "</code>, so that it can be compared with results of others by "
            "the same.</p>\n");
  } else {
    page.Raw(kOwnProtocol);
  }
  WriteWorkloads(page, facts);
  WriteBaselines(page, facts);
  page.Raw("<h3>The machine</h3>\n");
  if (facts.environments.empty()) page.Raw("<p>Nothing was measured.</p>\n");
  for (const Environment& environment : facts.environments) {
    WriteEnvironment(page, environment);
  }
}

struct ReportPart {
  const char* id;
  const char* link;  // To it, among the contents.
  const char* title;
  void (*write)(Writer& page, const ReportFacts& facts);
};
constexpr ReportPart kParts[] = {
    {"curve", "curve", "Best so far", WriteCurve},
    {"leaders", "leaders", "Leaders", WriteLeaders},
    {"lineage", "lineage", "How the best came to be", WriteLineage},
    {"source", "best kernel", "The best kernel", WriteSource},
    {"failures", "failures", "What failed", WriteFailures},
    {"judging", "how it was judged", "How it was judged", WriteJudging},
    {"spend", "cost", "What it cost", WriteSpend},
    {"settings", "settings", "Settings", WriteSettings},
    {"nodes", "all attempts", "All attempts", WriteNodes},
};

void WriteHead(Writer& page, const ReportFacts& facts) {
  const store::CampaignSpec& spec = facts.standing.row.spec;
  page.Raw(
          "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src "
          "'none'; style-src '")
      .Raw(ContentHash(kReportStyle))
      .Raw("'; script-src '")
      .Raw(ContentHash(kReportScript))
      .Raw(
          "'; base-uri 'none'; form-action 'none'\">\n"
          "<meta name=viewport content=\"width=device-width\">\n"
          "<meta name=referrer content=no-referrer>\n<title>")
      .Text(spec.name)
      .Raw("</title>\n<style>")
      .Raw(kReportStyle)
      .Raw("</style>\n</head>\n<body>\n<header>\n<h1>")
      .Text(spec.name)
      .Raw("</h1>\n<p class=soft>")
      .Text("A campaign on " + spec.task_name + " by the policy " +
            store::PolicyOf(spec) + ", seed " + std::to_string(spec.seed));
  if (facts.first_at_s && facts.last_at_s) {
    page.Text("; from " + DateText(*facts.first_at_s) + " to " +
              DateText(*facts.last_at_s));
  }
  page.Raw(".</p>\n<nav aria-label=Contents><ul>");
  for (const ReportPart& part : kParts) {
    page.Raw("<li><a href=\"#").Raw(part.id).Raw("\">");
    page.Raw(part.link).Raw("</a>");
  }
  page.Raw(
      "<li><button type=button id=unfold hidden>unfold or fold all"
      "</button></ul></nav>\n</header>\n<main>\n");
}

}  // namespace

std::string PageOf(const ReportFacts& facts,
                   const engine::Redaction& redaction) {
  Writer page(redaction);
  WriteHead(page, facts);
  WriteSummary(page, facts);
  for (const ReportPart& part : kParts) {
    page.Raw("<h2 id=\"").Raw(part.id).Raw("\">");
    page.Raw(part.title).Raw("</h2>\n");
    part.write(page, facts);
  }
  page.Raw("</main>\n<footer>Made by coppice ")
      .Text(engine::Release())
      .Raw(". It needs no network, and loads nothing.</footer>\n<script>")
      .Raw(kReportScript)
      .Raw("</script>\n</body>\n</html>\n");
  return std::move(page).Take();
}

}  // namespace coppice::cli
