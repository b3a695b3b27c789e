// coppice report: what trace sets and databases say of solutions and authors.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <utility>

#include "config/keys.h"
#include "engine/cli/counted.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/figures.h"
#include "engine/cli/output.h"
#include "engine/cli/traces.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/interchange/trace_scores.h"
#include "store/records/formatted.h"

namespace coppice::cli {
namespace {

using engine::Placing;
using eval::Trace;
using eval::TraceSet;
using nlohmann::ordered_json;

constexpr double kWinAt[] = {1.0, 0.95, 0.9, 0.8, 0.5};

void PrintTables(const std::vector<RowSheet>& sheets, Streams& streams) {
  bool first = true;
  for (const RowSheet& sheet : sheets) {
    if (sheet.rows.empty()) continue;
    if (!std::exchange(first, false)) streams.out << "\n";
    PrintTable(sheet, streams);
  }
}

void PrintCsvs(const std::vector<RowSheet>& sheets, Streams& streams) {
  bool first = true;
  for (const RowSheet& sheet : sheets) {
    if (!std::exchange(first, false)) streams.out << "\n";
    PrintCsv(sheet, streams.out);
  }
}

void PrintJson(const std::vector<RowSheet>& sheets, Streams& streams) {
  ordered_json document = ordered_json::object();
  for (const RowSheet& sheet : sheets) {
    document[sheet.name] = RowsJson(sheet);
  }
  PrintDocument(document, streams.out);
}

void Print(const Invocation& invocation, const std::vector<RowSheet>& sheets,
           Streams& streams) {
  if (invocation.Has("json")) return PrintJson(sheets, streams);
  if (invocation.Has("csv")) return PrintCsvs(sheets, streams);
  PrintTables(sheets, streams);
  if (std::ranges::all_of(sheets,
                          [](const RowSheet& s) { return s.rows.empty(); })) {
    streams.err << "nothing to show: no solution has a trace that counts\n";
  }
}

const char* YardstickOf(const Placing& placing) {
  const bool is_baseline =
      placing.yardstick == engine::TraceYardstick::kBaseline;
  return is_baseline ? "baseline" : "reference";
}

// One more than that of the row before, in a sheet that begins with both.
int NextRank(const RowSheet& sheet, const std::string& definition) {
  if (sheet.rows.empty() || sheet.rows.back()[0] != definition) return 1;
  return sheet.rows.back()[1].get<int>() + 1;
}

std::vector<RowSheet> Summary(const TraceSet& set) {
  const engine::TraceTally tally = engine::TallyOf(set);
  RowSheet sheet{"summary", {"what", "value"}, {}};
  const auto add = [&](const std::string& what, ordered_json value) {
    sheet.rows.push_back({what, std::move(value)});
  };
  add("definitions", set.definitions.size());
  add("workloads", set.workloads.size());
  add("solutions", set.solutions.size());
  add("authors", tally.authors);
  add("traces", tally.traces);
  for (std::size_t i = 0; i < tally.by_status.size(); ++i) {
    if (tally.by_status[i] == 0) continue;
    add(std::string(eval::kTraceStatusNames[i]), tally.by_status[i]);
  }
  if (tally.unjudged > 0) add("without evaluation", tally.unjudged);
  add("min latency_ms", OrNull(tally.least_ms));
  add("max latency_ms", OrNull(tally.most_ms));
  add("mean latency_ms", OrNull(tally.mean_ms));
  return {sheet};
}

// The fastest solution on each workload.
std::vector<RowSheet> Best(const TraceSet& set) {
  RowSheet sheet{"best",
                 {"definition", "workload", "axes", "solution", "author",
                  "latency_ms", "ratio", "over"},
                 {},
                 "the greatest ratio on each workload, by the evaluation that "
                 "decides; coppice best names the winner over all"};
  std::map<std::pair<std::string, std::string>, std::string> axes;
  for (const Trace& trace : set.traces) {
    axes[{trace.definition, trace.workload.uuid}] = AxesText(trace.workload);
  }
  // Who was how fast, by definition and workload.
  std::map<std::pair<std::string, std::string>,
           std::pair<const Placing*, const engine::Ratio*>>
      best;
  const std::vector<Placing> placings = engine::Rank(set);
  for (const Placing& placing : placings) {
    for (const engine::Ratio& ratio : placing.ratios) {
      if (ratio.ratio <= 0.0) continue;
      auto& known = best[{placing.definition, ratio.workload}];
      if (known.second == nullptr || ratio.ratio > known.second->ratio) {
        known = {&placing, &ratio};
      }
    }
  }
  for (const auto& [place, winner] : best) {
    const auto& [placing, ratio] = winner;
    sheet.rows.push_back({place.first, place.second, axes[place],
                          placing->solution, placing->author, ratio->latency_ms,
                          ratio->ratio, YardstickOf(*placing)});
  }
  return {sheet};
}

std::vector<RowSheet> Visualize(const TraceSet& set) {
  RowSheet sheet{
      "traces",
      {"definition", "workload", "solution", "status", "speedup_factor",
       "latency_ms", "max_absolute_error", "max_relative_error", "timestamp"},
      {}};
  const auto error = [](double number) {
    return std::isfinite(number) ? ordered_json(number)
                                 : ordered_json(Formatted("%g", number));
  };
  for (const Trace& trace : set.traces) {
    const auto& judged = trace.evaluation;
    const auto performance = judged ? judged->performance : std::nullopt;
    const auto correctness = judged ? judged->correctness : std::nullopt;
    sheet.rows.push_back(
        {trace.definition, trace.workload.uuid, trace.solution.value_or(""),
         OrNull(judged, [](const auto& one) { return eval::Name(one.status); }),
         OrNull(performance, &eval::Performance::speedup_factor),
         OrNull(performance, &eval::Performance::latency_ms),
         OrNull(correctness,
                [&](const auto& one) { return error(one.max_absolute_error); }),
         OrNull(correctness,
                [&](const auto& one) { return error(one.max_relative_error); }),
         OrNull(judged, &eval::TraceEvaluation::timestamp)});
  }
  std::sort(sheet.rows.begin(), sheet.rows.end());  // However they are filed.
  std::vector<RowSheet> sheets = Best(set);
  sheets.insert(sheets.begin(), std::move(sheet));
  return sheets;
}

// Among those of its definition that have a speedup; null: it has none.
ordered_json SpeedupRank(const Placing& placing,
                         const std::vector<Placing>& placings) {
  if (!placing.speedup) return nullptr;
  return 1 + std::ranges::count_if(placings, [&](const Placing& other) {
           return other.definition == placing.definition && other.speedup &&
                  other.speedup->ratio > placing.speedup->ratio;
         });
}

RowSheet SolSheet(const TraceSet& set) {
  RowSheet sheet{
      "sol_execbench",
      {"definition", "rank", "solution", "author", "sol_score", "passed",
       "workloads"},
      {},
      "SOL-ExecBench's score: 1 at the speed of light, 0.5 at its "
      "baseline, 0 where a solution did not pass; of times on a B200, "
      "for which the bounds of metadata.json hold"};
  for (const engine::SolPlacing& placing : engine::RankBySol(set)) {
    sheet.rows.push_back({placing.definition,
                          NextRank(sheet, placing.definition), placing.solution,
                          placing.author, placing.score, placing.passed,
                          placing.workloads});
  }
  return sheet;
}

std::vector<RowSheet> Leaderboard(const TraceSet& set) {
  RowSheet solutions{"solutions",
                     {"definition", "rank", "solution", "author", "score",
                      "geometric_mean", "passed", "workloads", "over"},
                     {},
                     "ranks go by FlashInfer-Bench's score, the mean of the "
                     "ratios, 0 after a failure"};
  const std::vector<Placing> placings = engine::Rank(set);
  const bool any_ours = std::ranges::any_of(
      placings, [](const Placing& placing) { return bool(placing.speedup); });
  if (any_ours) {
    for (const char* title :
         {"speedup", "speedup_low", "speedup_high", "speedup_rank"}) {
      solutions.columns.emplace_back(title);
    }
    solutions.note +=
        "; speedup is coppice's, over the root by all evaluations, with its "
        "95 % interval, and speedup_rank 1 is its winner";
  }
  for (const Placing& placing : placings) {
    solutions.rows.push_back({placing.definition,
                              NextRank(solutions, placing.definition),
                              placing.solution, placing.author, placing.Score(),
                              placing.GeometricMean(), placing.Passed(),
                              placing.ratios.size(), YardstickOf(placing)});
    if (!any_ours) continue;
    const ordered_json speedup = SpeedupJson(placing.speedup);
    solutions.rows.back().insert(solutions.rows.back().end(), speedup.begin(),
                                 speedup.end());
    solutions.rows.back().push_back(SpeedupRank(placing, placings));
  }
  RowSheet by_author{"authors_by_definition",
                     {"definition", "rank", "author", "score", "solution"},
                     {},
                     "each author's first by FlashInfer-Bench's score; coppice "
                     "best names the winner by speedup"};
  for (const Placing* placing : engine::Representatives(placings)) {
    by_author.rows.push_back(
        {placing->definition, NextRank(by_author, placing->definition),
         placing->author, placing->Score(), placing->solution});
  }
  RowSheet authors{"authors",
                   {"author", "score", "solved", "definitions"},
                   {},
                   "score is the mean of FlashInfer-Bench's over definitions"};
  for (const engine::AuthorPlacing& author : RankAuthors(placings)) {
    authors.rows.push_back(
        {author.author, author.score, author.solved, author.definitions});
  }
  std::vector<RowSheet> sheets = {solutions, by_author, authors};
  if (!set.bounds.empty()) sheets.push_back(SolSheet(set));
  return sheets;
}

// At some p for people, at every step for programs.
RowSheet CurveSheet(const std::string& name, const engine::Curves& curves,
                    std::span<const double> at,
                    double (*share)(const std::vector<engine::FastPStep>&,
                                    double),
                    bool all) {
  RowSheet sheet{name, {"author"}, {}};
  if (all) {
    sheet.columns.emplace_back("p");
    sheet.columns.emplace_back(name);
    for (const auto& [author, points] : curves) {
      for (const engine::FastPStep& point : points) {
        sheet.rows.push_back({author, point.p, point.share});
      }
    }
    return sheet;
  }
  for (const double p : at) {
    sheet.columns.emplace_back(name + " " + Formatted("%g", p));
  }
  for (const auto& [author, points] : curves) {
    std::vector<ordered_json> row = {author};
    for (const double p : at) row.emplace_back(share(points, p));
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

// Every step: for programs.
enum class Steps { kSome, kAll };

std::vector<RowSheet> CurveSheets(const TraceSet& set, Steps steps) {
  const bool all = steps == Steps::kAll;
  const std::vector<Placing> placings = engine::Rank(set);
  std::vector<RowSheet> sheets = {
      CurveSheet("fast_p", engine::FastP(placings), kFastThresholds,
                 engine::FastAt, all),
      CurveSheet("win_at_p", engine::WinAtP(placings), kWinAt, engine::WinAt,
                 all)};
  sheets.front().note =
      "over workloads, as FlashInfer-Bench counts; the views fast_p are over "
      "tasks";
  return sheets;
}

// Curves, as pictures and as the numbers that they show.
Result<Exit> Draw(const Invocation& invocation, const TraceSet& set,
                  Streams& streams) {
  const std::filesystem::path directory = *invocation.Text("output");
  TRY_DONE(MakeDirectory(directory));
  for (const RowSheet& sheet : CurveSheets(set, Steps::kAll)) {
    TRY_DONE(WriteCsv(sheet, directory));
  }
  TRY_DONE(DrawFigures(directory));
  streams.err << Printable(directory.string())
              << ": fast_p and win_at_p, as .svg, .png and .csv\n";
  return Exit::kDone;
}

// Reads the sets at all the paths, or settings.db.
Result<TraceSet> ReadSets(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("json") && invocation.Has("csv")) {
    return Fail(Errc::kUsage, "--json or --csv, not both");
  }
  if (invocation.Has("output")) {
    TRY_DONE(invocation.MustNotHave(
        {"json", "csv"}, "does not go with --output, which has CSV beside"));
  }
  std::vector<std::filesystem::path> paths(invocation.arguments.begin(),
                                           invocation.arguments.end());
  if (paths.empty()) paths.push_back(invocation.settings().db);
  TraceSet set;
  for (const std::filesystem::path& path : paths) {
    TRY(read, TracesAt(path, invocation, streams));
    TRY_DONE(eval::Merge(std::move(read), set));
  }
  return set;
}

template <std::vector<RowSheet> (*kReport)(const TraceSet& set)>
Result<Exit> RunReport(const Invocation& invocation, Streams& streams) {
  TRY(set, ReadSets(invocation, streams));
  Print(invocation, kReport(set), streams);
  return Exit::kDone;
}

Result<Exit> RunCurves(const Invocation& invocation, Streams& streams) {
  TRY(set, ReadSets(invocation, streams));
  const bool all = invocation.Has("json") || invocation.Has("csv");
  Print(invocation, CurveSheets(set, all ? Steps::kAll : Steps::kSome),
        streams);
  return Exit::kDone;
}

Result<Exit> RunVisualize(const Invocation& invocation, Streams& streams) {
  if (!invocation.Has("output")) {
    return RunReport<Visualize>(invocation, streams);
  }
  TRY(set, ReadSets(invocation, streams));
  return Draw(invocation, set, streams);
}

Result<Exit> RunMerge(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path) {
    return Fail(Errc::kUsage, "say where with --output DIRECTORY");
  }
  TRY(set, ReadSets(invocation, streams));
  TRY(written, eval::WriteTraceSet(set, *path));
  streams.err << Printable(*path) << ": "
              << Counted(set.definitions.size(), "definition") << ", "
              << Counted(set.solutions.size(), "solution") << ", "
              << Counted(set.workloads.size(), "workload") << ", "
              << Counted(set.traces.size(), "trace") << ", "
              << Counted(written.blobs, "file") << " of tensors\n";
  return Exit::kDone;
}

// One that prints; `more` options.
Verb Action(std::string_view name, std::string_view summary,
            std::string_view examples,
            Result<Exit> (*run)(const Invocation&, Streams&),
            const std::vector<Option>& more = {}) {
  std::vector<Option> options = {
      kJsonOption, {"csv", Takes::kNothing, "", "as comma-separated values"}};
  options.insert(options.end(), more.begin(), more.end());
  return {
      .name = name,
      .summary = summary,
      .arguments = "[PATH...]",
      .examples = examples,
      .options = std::move(options),
      .settings =
          config::NamesIn({config::Group::kDatabase, config::Group::kPython}),
      .run = run,
  };
}

Verb MergeAction() {
  Verb merge =
      Action("report merge", "several trace sets as one",
             "  coppice report merge one two --output both\n", RunMerge);
  merge.options = {{"output", Takes::kText, "DIRECTORY",
                    "where to, empty or not there yet; needed"}};
  return merge;
}

}  // namespace

Verb ReportVerb() {
  return {
      .name = "report",
      .summary = "of FlashInfer-Bench's traces, and of money",
      .actions = {Action("report summary", "how much there is of what",
                         "  coppice report summary flashinfer-trace\n",
                         RunReport<Summary>),
                  Action("report best", "the fastest solution on each workload",
                         "  coppice report best set other.db --csv\n",
                         RunReport<Best>),
                  Action("report leaderboard", "who leads",
                         "  coppice report leaderboard   # of the database\n",
                         RunReport<Leaderboard>),
                  Action("report curves", "fast_p and win_at_p",
                         "  coppice report curves flashinfer-trace --json\n",
                         RunCurves),
                  Action("report visualize",
                         "every trace, or pictures of the curves",
                         "  coppice report visualize flashinfer-trace --output "
                         "pictures\n",
                         RunVisualize,
                         {{"output", Takes::kText, "DIRECTORY",
                           "draw the curves there, as SVG and PNG, with their "
                           "numbers"}}),
                  MergeAction(), ModelsAction(), SpendAction()},
  };
}

}  // namespace coppice::cli
