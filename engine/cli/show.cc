// coppice show: everything about one node.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/prompt_text.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/profile_json.h"
#include "engine/documents/table.h"
#include "eval/formats/trace_set.h"
#include "store/read/history.h"
#include "store/read/trajectories.h"
#include "store/records/formatted.h"
#include "store/records/hot_loop.h"
#include "store/records/profile.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

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
  std::string text;
  for (const ModelPick& pick : portrait.decision->picks) {
    text += (text.empty() ? "" : "; ") + std::string(Name(pick.role)) + " " +
            pick.model + ", chosen by " + pick.rule + " (" + pick.reason + ")";
  }
  PrintField(streams, "models", text);
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

void PrintTrials(const NodeRecord& node, Streams& streams) {
  if (node.trials.empty()) return;
  PrintField(streams, "tuned", TuningText(node.trials));
  Table table(
      {"", "configuration", "verdict", Right(kSpeedupTitle), Right("took")});
  for (const TriedConfiguration& trial : node.trials) {
    table.AddRow({trial.is_chosen ? "chosen" : "", trial.values,
                  std::string(Name(trial.verdict)),
                  trial.speedup ? SpeedupText(*trial.speedup) : "-",
                  engine::DurationText(trial.evaluator_s)});
  }
  streams.out << "\n";
  table.Print(streams);
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
  if (evaluation.speedup) {
    PrintField(streams, "measured",
               MeasuredText(*evaluation.speedup, protocol));
  }
  if (evaluation.hint) {
    PrintField(streams, "hint", HintLine(*evaluation.hint));
  }
  if (evaluation.runtime_s) {
    PrintField(streams, "runtime", RuntimeText(evaluation, protocol));
  }
  const Environment& where = evaluation.environment;
  if (!where.hardware.empty()) {
    PrintField(streams, "measured on",
               where.hardware + ", " + std::to_string(where.threads) +
                   (where.threads == 1 ? " thread" : " threads"));
  }
  if (!evaluation.device.empty()) {
    PrintField(streams, "device", evaluation.device);
  }
  if (!where.driver.empty()) PrintField(streams, "driver", where.driver);
  if (!where.compiler.empty()) {
    PrintField(streams, "compiler", where.compiler + " " + where.flags);
  }
  PrintField(streams, "took",
             engine::DurationText(evaluation.compile_s) + " to compile, " +
                 engine::DurationText(evaluation.check_s) + " to check, " +
                 engine::DurationText(evaluation.timing_s) + " to time");
  if (const std::int64_t again = MadeAgain(evaluation); again > 0) {
    PrintField(streams, "disturbed", BusyText(again, "these rounds"));
  }
  if (!evaluation.profile.empty()) {
    PrintField(streams, "profile",
               std::string(PartsOf(evaluation.profile).limits));
    const std::string_view loop = HotLoopOf(evaluation.profile);
    if (!loop.empty()) PrintField(streams, "hot loop", std::string(loop));
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
               "node " + std::to_string(Index(*portrait.node.same_as)) +
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

nlohmann::ordered_json ToJson(const std::optional<double>& number) {
  if (!number || !std::isfinite(*number)) return nullptr;
  return *number;
}

nlohmann::ordered_json ToJson(const std::optional<Speedup>& speedup) {
  if (!speedup) return nullptr;
  return SpeedupJson(speedup);
}

nlohmann::ordered_json ToJson(const std::vector<Reading>& readings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Reading& reading : readings) {
    all.push_back({{"session", reading.session},
                   {"calls", reading.calls},
                   {"wall_s", ToJson(reading.wall_s)},
                   {"cpu_s", ToJson(reading.cpu_s)},
                   {"clock_mhz", ToJson(reading.clock_mhz)}});
  }
  return all;
}

nlohmann::ordered_json ToJson(const Evaluation& evaluation) {
  nlohmann::ordered_json workloads = nlohmann::ordered_json::array();
  for (const WorkloadResult& workload : evaluation.workloads) {
    workloads.push_back(
        {{"workload", workload.workload},
         {"verdict", Name(workload.verdict)},
         {"samples_s", workload.samples_s},
         {"root_samples_s", workload.root_samples_s},
         {"readings", ToJson(workload.readings)},
         {"discarded_samples", workload.discarded_samples},
         {"floor_s", ToJson(workload.floor_s)},
         {"temperature_c", ToJson(workload.temperature_c)},
         {"worst_error_ratio", ToJson(workload.worst_error_ratio)},
         {"max_absolute_error", ToJson(workload.max_absolute_error)},
         {"max_relative_error", ToJson(workload.max_relative_error)},
         {"calls_verified", workload.calls_verified},
         {"profile", ProfileJson(workload.profile)}});
  }
  const Environment& where = evaluation.environment;
  return {{"verdict", Name(evaluation.verdict)},
          {"tier", TierName(evaluation.tier)},
          {"runtime_s", ToJson(evaluation.runtime_s)},
          {"root_runtime_s", ToJson(evaluation.root_runtime_s)},
          {"speedup", ToJson(evaluation.speedup)},
          {"hint", HintJson(evaluation.hint)},
          {"compile_s", evaluation.compile_s},
          {"check_s", evaluation.check_s},
          {"timing_s", evaluation.timing_s},
          {"device_s", ToJson(evaluation.device_s)},
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
          {"workloads", workloads}};
}

nlohmann::ordered_json ToJson(const std::vector<ModelPick>& picks) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ModelPick& pick : picks) {
    all.push_back({{"role", Name(pick.role)},
                   {"model", pick.model},
                   {"models", pick.models},
                   {"rule", pick.rule},
                   {"reason", pick.reason}});
  }
  return all;
}

nlohmann::ordered_json ToJson(const Portrait& portrait) {
  const NodeRecord& node = portrait.node;
  nlohmann::ordered_json json = {
      {"node", Index(node.id)}, {"uuid", ToString(node.uuid)},
      {"parent", nullptr},      {"decision", nullptr},
      {"plan", nullptr},        {"source", nullptr}};
  if (node.parent) json["parent"] = Index(*node.parent);
  if (portrait.decision && portrait.decision->mate) {
    json["mate"] = Index(*portrait.decision->mate);
  }
  if (portrait.decision) {
    json["decision"] = {{"number", portrait.decision->decision},
                        {"policy", portrait.decision->policy},
                        {"reason", portrait.decision->reason},
                        {"models", ToJson(portrait.decision->picks)}};
  }
  if (node.plan) {
    json["plan"] = {{"technique", node.plan->technique},
                    {"advice", node.plan->advice},
                    {"annotated_source", node.plan->annotated_source},
                    {"grounded", node.plan->grounded},
                    {"changed_inside", node.footprint.changed_inside},
                    {"changed_outside", node.footprint.changed_outside}};
  }
  if (node.candidate) json["source"] = node.candidate->source;
  json["verdict"] = Name(node.worth.verdict);
  json["same_as"] = nullptr;
  if (node.same_as) json["same_as"] = Index(*node.same_as);
  json.update(SpeedupJson(node.worth.speedup));
  json["quarantined"] = portrait.is_quarantined;
  json["lines_again"] = node.again.lines;
  json["lines_deleted_by"] = nullptr;
  if (node.again.deleted_by) {
    json["lines_deleted_by"] = Index(*node.again.deleted_by);
  }
  json["tuning_trials"] = nlohmann::ordered_json::array();
  for (const TriedConfiguration& trial : node.trials) {
    json["tuning_trials"].push_back({{"configuration", trial.values},
                                     {"verdict", Name(trial.verdict)},
                                     {"speedup", ToJson(trial.speedup)},
                                     {"evaluator_s", trial.evaluator_s},
                                     {"chosen", trial.is_chosen}});
  }
  json["evaluations"] = nlohmann::ordered_json::array();
  for (const Evaluation& evaluation : portrait.evaluations) {
    json["evaluations"].push_back(ToJson(evaluation));
  }
  return json;
}

// What the agents were asked that made a node.
Result<Exit> ShowPrompts(const Invocation& invocation,
                         store::Database& database,
                         const store::CampaignRow& campaign, NodeId id,
                         Streams& streams) {
  std::optional<Role> only;
  if (const auto word = invocation.Text("role")) {
    TRY(role, ParseRole(*word));
    only = role;
  }
  nlohmann::ordered_json calls = nlohmann::ordered_json::array();
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
  if (invocation.Has("role")) {
    return Fail(Errc::kUsage, "--role: goes with --prompts");
  }
  TRY(node, store::Nodes(database).Load(campaign.id, id));
  if (invocation.Has("source")) {
    if (!node.candidate) {
      return Fail(Errc::kUsage, campaign.spec.name + ": node " +
                                    std::to_string(Index(id)) +
                                    " has no source (no_candidate)");
    }
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
