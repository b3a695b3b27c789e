// coppice show: everything about one node.
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/or_null.h"
#include "engine/documents/profile_json.h"
#include "engine/documents/row_sheet.h"
#include "eval/formats/trace_set.h"
#include "store/read/history.h"
#include "store/read/trajectories.h"
#include "store/records/formatted.h"
#include "store/records/hot_loop.h"
#include "store/records/joined.h"
#include "store/records/node.h"
#include "store/records/profile.h"
#include "store/records/speedup_text.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Portrait {
  NodeRecord node;
  std::optional<store::Decision> decision;
  std::vector<Evaluation> evaluations;  // In the order made.
  bool is_quarantined = false;
};

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
             std::to_string(node.footprint.changed_inside) +
                 " lines in the marked spans, " +
                 std::to_string(node.footprint.changed_outside) + " outside");
}

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
    print("measured on", where.hardware + ", " + std::to_string(where.threads) +
                             (where.threads == 1 ? " thread" : " threads"));
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
    streams.out << "\n"
                << Printable(evaluation.log)
                << (evaluation.log.ends_with('\n') ? "" : "\n");
  }
}

void Print(const Portrait& portrait, const store::CampaignRow& campaign,
           Streams& streams) {
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
  const auto task = eval::ParseTask(campaign.spec.task_json);
  const Protocol protocol = task ? task->protocol : Protocol::kCoppice;
  for (std::size_t i = 0; i < portrait.evaluations.size(); ++i) {
    if (i > 0) streams.out << "\nmeasured again\n";
    PrintEvaluation(portrait.evaluations[i], protocol, streams);
  }
}

Json ReadingJson(const SampleReading& reading) {
  return {{"session", reading.session},
          {"calls", reading.calls},
          {"wall_s", OrNull(reading.wall_s)},
          {"cpu_s", OrNull(reading.cpu_s)},
          {"clock_mhz", OrNull(reading.clock_mhz)}};
}

Json WorkloadJson(const WorkloadResult& workload) {
  return {{"workload", workload.workload},
          {"verdict", Name(workload.verdict)},
          {"samples_s", workload.samples_s},
          {"root_samples_s", workload.root_samples_s},
          {"readings", ArrayOf(workload.readings, ReadingJson)},
          {"discarded_samples", workload.discarded_samples},
          {"floor_s", OrNull(workload.floor_s)},
          {"temperature_c", OrNull(workload.temperature_c)},
          {"worst_error_ratio", workload.worst_error_ratio},
          {"max_absolute_error", workload.max_absolute_error},
          {"max_relative_error", workload.max_relative_error},
          {"calls_verified", workload.calls_verified},
          {"profile", ProfileJson(workload.profile)}};
}

Json EvaluationJson(const Evaluation& evaluation) {
  const Environment& where = evaluation.environment;
  return {{"verdict", Name(evaluation.verdict)},
          {"tier", TierName(evaluation.tier)},
          {"runtime_s", OrNull(evaluation.runtime_s)},
          {"root_runtime_s", OrNull(evaluation.root_runtime_s)},
          {"speedup", OrNull(evaluation.speedup, SpeedupJson)},
          {"hint", HintJson(evaluation.hint)},
          {"compile_s", evaluation.compile_s},
          {"check_s", evaluation.check_s},
          {"timing_s", evaluation.timing_s},
          {"device_s", OrNull(evaluation.device_s)},
          {"device", evaluation.device},
          {"profile", evaluation.profile},
          {"environment",
           {{"hardware", where.hardware},
            {"threads", where.threads},
            {"system", where.system},
            {"driver", where.driver},
            {"compiler", where.compiler},
            {"flags", where.flags}}},
          {"log", evaluation.log},
          {"workloads", ArrayOf(evaluation.workloads, WorkloadJson)}};
}

Json PickJson(const ModelPick& pick) {
  return {{"role", Name(pick.role)},
          {"model", pick.model},
          {"models", pick.models},
          {"rule", pick.rule},
          {"reason", pick.reason}};
}

Json DecisionJson(const store::Decision& decision) {
  return {{"number", decision.decision},
          {"policy", decision.policy},
          {"reason", decision.reason},
          {"models", ArrayOf(decision.picks, PickJson)}};
}

Json PlanJson(const NodeRecord& node) {
  if (!node.plan) return nullptr;
  return {{"technique", node.plan->technique},
          {"advice", node.plan->advice},
          {"annotated_source", node.plan->annotated_source},
          {"grounded", node.plan->grounded},
          {"changed_inside", node.footprint.changed_inside},
          {"changed_outside", node.footprint.changed_outside}};
}

Json ToJson(const Portrait& portrait) {
  const NodeRecord& node = portrait.node;
  const auto& decision = portrait.decision;
  Json json = {{"node", Index(node.id)},
               {"uuid", ToString(node.uuid)},
               {"parent", OrNull(node.parent)},
               {"decision", OrNull(decision, DecisionJson)},
               {"plan", PlanJson(node)},
               {"source", OrNull(node.candidate, &Candidate::source)}};
  if (decision && decision->mate) json["mate"] = Index(*decision->mate);
  json["verdict"] = Name(node.worth.verdict);
  json["same_as"] = OrNull(node.same_as);
  json.update(SpeedupJson(node.worth.speedup));
  json["quarantined"] = portrait.is_quarantined;
  json["lines_again"] = node.again.lines;
  json["lines_deleted_by"] = OrNull(node.again.deleted_by);
  json["tuning_trials"] = RowsJson(TrialsSheet(node.trials));
  json["evaluations"] = ArrayOf(portrait.evaluations, EvaluationJson);
  return json;
}

// What the agents were asked that made a node.
Result<Exit> ShowPrompts(const Invocation& invocation,
                         store::Database& database,
                         const store::CampaignRow& campaign, NodeId id,
                         Streams& streams) {
  TRY(only, RoleOf(invocation));
  Json calls = Json::array();
  const auto show = [&](const store::Trajectory& call) {
    if (only && call.asked.role != *only) return true;
    calls.push_back({{"role", Name(call.asked.role)},
                     {"call", ToString(call.asked.uuid)},
                     {"decision", call.attempt.decision},
                     {"system", call.asked.system_prompt},
                     {"user", call.asked.user_prompt},
                     {"answer", call.end.answer}});
    if (!invocation.Has("json")) {
      PrintPrompt(call.asked.role, call.asked.system_prompt,
                  call.asked.user_prompt, streams);
    }
    return bool(streams.out);
  };
  TRY_DONE(store::ScanTrajectoriesOf(database, campaign.id, id, show));
  if (invocation.Has("json")) {
    PrintDocument(calls, streams.out);
  } else if (calls.empty()) {
    return Fail(Errc::kUsage,
                campaign.spec.name + ": no " +
                    (only ? std::string(Name(*only)) + " agent" : "agent") +
                    " was asked for node " + std::to_string(Index(id)));
  }
  return Exit::kDone;
}

Result<Exit> RunShow(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaign, ChooseCampaign(invocation, streams, database));
  TRY(id, ChooseNode(database, campaign, invocation.arguments.front()));
  if (invocation.Has("prompts")) {
    return ShowPrompts(invocation, database, campaign, id, streams);
  }
  TRY_DONE(invocation.MustNotHave({"role"}, "goes with --prompts"));
  TRY(node, store::Nodes(database).Load(campaign.id, id));
  if (invocation.Has("source")) {
    if (!node.candidate) return tl::unexpected<Error>(NoSource(campaign, id));
    streams.out << node.candidate->source;
    return Exit::kDone;
  }
  TRY(decision, store::ReadDecision(database, campaign.id, id));
  TRY(evaluations, store::ReadEvaluations(database, campaign.id, id));
  TRY(lineage, store::ReadLineage(database, campaign.id, id));
  const Portrait portrait{std::move(node), std::move(decision),
                          std::move(evaluations),
                          lineage.back().line.is_quarantined};
  if (invocation.Has("json")) {
    PrintDocument(ToJson(portrait), streams.out);
  } else {
    Print(portrait, campaign, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb ShowVerb() {
  return {
      .name = "show",
      .summary = "everything about a node: a number, root or best",
      .arguments = "NODE",
      .examples =
          "  coppice show best\n"
          "  coppice show 17 --source > kernel.cc\n"
          "  coppice show 17 --prompts   # what its agents were asked\n",
      .options = {kCampaignOption,
                  {"source", Takes::kNothing, "", "its source and no more"},
                  {"prompts", Takes::kNothing, "",
                   "what the agents were asked that made it"},
                  kRoleOption,
                  kJsonOption},
      .settings = config::NamesIn({config::Group::kDatabase}),
      .run = RunShow,
  };
}

}  // namespace coppice::cli
