#include "engine/cli/portrait.h"

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "engine/campaign/short_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/evaluation_text.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/measured_text.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/documents/verb.h"
#include "store/records/formatted.h"
#include "store/records/hot_loop.h"
#include "store/records/joined.h"
#include "store/records/model_call.h"
#include "store/records/outcome.h"
#include "store/records/profile.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

std::string Short(double number) { return Formatted("%.3g", number); }

std::string RuntimeText(const Evaluation& evaluation, Protocol protocol) {
  std::string text = engine::DurationText(*evaluation.runtime_s);
  if (evaluation.root_runtime_s) {
    text += "; the root, " + engine::DurationText(*evaluation.root_runtime_s);
  }
  return text + (protocol == Protocol::kCoppice ? " (medians of all rounds)"
                                                : " (means of all calls)");
}

// Prints the models that were chosen of several.
void PrintModels(const Portrait& portrait, Streams& streams) {
  if (!portrait.decision || portrait.decision->picks.empty()) return;
  const auto text = [](const ModelPick& pick) {
    return std::string(Name(pick.role)) + " " + pick.model + ", chosen by " +
           pick.rule + " (" + pick.reason + ")";
  };
  PrintField(streams, "models", Joined(portrait.decision->picks, "; ", text));
}

void PrintOrigin(const Portrait& portrait, Streams& streams) {
  const NodeRecord& node = portrait.node;
  if (!node.parent) {
    PrintField(streams, "origin",
               "the root: the source that it all starts from");
    return;
  }
  std::string text = "child of " + std::to_string(Index(*node.parent));
  if (portrait.decision && portrait.decision->mate) {
    text += " combined with " + std::to_string(Index(*portrait.decision->mate));
  }
  if (portrait.decision) {
    text += ", chosen by " + portrait.decision->policy + " (" +
            portrait.decision->reason + ")";
  }
  PrintField(streams, "origin", text);
  PrintModels(portrait, streams);
  if (!node.plan) return;
  if (!node.plan->technique.empty()) {
    PrintField(streams, "technique", node.plan->technique);
  }
  PrintField(streams, "plan", node.plan->advice);
  PrintField(streams, "edits",
             Counted(node.footprint.changed_inside, "line") +
                 " in the marked spans, " +
                 std::to_string(node.footprint.changed_outside) + " outside");
}

void PrintTrials(const NodeRecord& node, Streams& streams) {
  if (node.trials.empty()) return;
  PrintField(streams, "tuned", TuningText(node.trials));
  streams.out << "\n";
  PrintTable(TrialsSheet(node.trials), streams);
  streams.out << "\n";
}

void PrintWorkloads(const Evaluation& evaluation, Streams& streams) {
  if (evaluation.workloads.empty()) return;
  Table table({"workload", "verdict", Right("median"), Right("quartiles"),
               Right("root"), Right(kSpeedupTitle), Right("rounds"),
               Right("error/allowed")});
  for (const WorkloadResult& workload : evaluation.workloads) {
    std::vector<std::string> cells = {workload.workload,
                                      std::string(Name(workload.verdict))};
    if (workload.samples_s.empty() || workload.root_samples_s.empty()) {
      cells.insert(cells.end(), {"-", "-", "-", "-"});
    } else {
      const auto [lower, median, upper] = QuartilesOf(workload.samples_s);
      const double root = Median(workload.root_samples_s);
      cells.insert(
          cells.end(),
          {engine::DurationText(median),
           engine::DurationText(lower) + " to " + engine::DurationText(upper),
           engine::DurationText(root), WorkloadSpeedup(evaluation, workload)});
    }
    cells.push_back(std::to_string(workload.samples_s.size()));
    cells.push_back(Short(workload.worst_error_ratio));
    table.AddRow(std::move(cells));
  }
  streams.out << "\n";
  table.Print(streams);
}

void PrintEvaluation(const Evaluation& evaluation, Protocol protocol,
                     Streams& streams) {
  const bool has_rule = evaluation.breach != Breach::kNone;
  PrintField(streams, "verdict",
             std::string(Name(evaluation.verdict)) + " (" +
                 (has_rule ? std::string(Name(evaluation.breach)) + "; " : "") +
                 std::string(TierName(evaluation.tier)) + " tier)");
  const Environment& where = evaluation.environment;
  const std::int64_t again = MadeAgain(evaluation);
  const auto print = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) PrintField(streams, name, std::string(value));
  };
  if (evaluation.speedup) {
    print("measured", MeasuredText(*evaluation.speedup, protocol));
  }
  if (evaluation.hint) print("hint", HintLine(*evaluation.hint));
  if (evaluation.runtime_s) print("runtime", RuntimeText(evaluation, protocol));
  if (!where.hardware.empty()) {
    print("measured on",
          where.hardware + ", " + Counted(where.threads, "thread"));
  }
  print("device", evaluation.device);
  print("driver", where.driver);
  if (!where.compiler.empty()) {
    print("compiler", where.compiler + " " + where.flags);
  }
  print("took", engine::DurationText(evaluation.compile_s) + " to compile, " +
                    engine::DurationText(evaluation.check_s) + " to check, " +
                    engine::DurationText(evaluation.timing_s) + " to time");
  if (again > 0) print("disturbed", BusyText(again, "these rounds"));
  if (!evaluation.profile.empty()) {
    print("profile", PartsOf(evaluation.profile).limits);
    print("hot loop", HotLoopOf(evaluation.profile));
  }
  PrintWorkloads(evaluation, streams);
  if (!evaluation.log.empty()) {
    streams.out << "\n" << LogText(evaluation.log);
  }
}

}  // namespace

RowSheet TrialsSheet(const std::vector<TriedConfiguration>& trials) {
  RowSheet sheet{"tuning_trials",
                 {ForPeople(""), "configuration", "verdict",
                  ForPeople(Right(kSpeedupTitle)), ForPeople(Right("took")),
                  ForPrograms("speedup"), ForPrograms("evaluator_s"),
                  ForPrograms("chosen")}};
  for (const TriedConfiguration& trial : trials) {
    sheet.rows.push_back({trial.is_chosen ? "chosen" : "", trial.values,
                          Name(trial.verdict),
                          trial.speedup ? SpeedupText(*trial.speedup) : "-",
                          engine::DurationText(trial.evaluator_s),
                          OrNull(trial.speedup, SpeedupJson), trial.evaluator_s,
                          trial.is_chosen});
  }
  return sheet;
}

void PrintPortrait(const Portrait& portrait, const store::CampaignRow& campaign,
                   Protocol protocol, Streams& streams) {
  PrintField(streams, "node",
             std::to_string(Index(portrait.node.id)) + " of " +
                 campaign.spec.name + " (" + campaign.spec.task_name + ")");
  PrintOrigin(portrait, streams);
  if (portrait.is_quarantined) {
    PrintField(streams, "quarantine",
               "a further evaluation refuted it; it counts as " +
                   std::string(Name(portrait.node.worth.verdict)));
  }
  if (portrait.node.same_as) {
    PrintField(streams, "same as",
               NodeText(*portrait.node.same_as) +
                   ": the same tokens, so it was not judged again");
  }
  if (portrait.node.worth.speedup) {
    PrintField(streams, "speedup",
               SpeedupText(*portrait.node.worth.speedup, kInterval) +
                   " over all that was measured" +
                   (portrait.node.parent
                        ? ": " + TimeBySpeedup(*campaign.root_runtime_s,
                                               *portrait.node.worth.speedup)
                        : ""));
  }
  if (const std::string again = RepeatedLinesText(portrait.node.again);
      !again.empty()) {
    PrintField(streams, "lines", again);
  }
  PrintTrials(portrait.node, streams);
  for (std::size_t i = 0; i < portrait.evaluations.size(); ++i) {
    if (i > 0) streams.out << "\nmeasured again\n";
    PrintEvaluation(portrait.evaluations[i], protocol, streams);
  }
}

}  // namespace coppice::cli
