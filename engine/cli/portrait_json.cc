#include "engine/cli/portrait_json.h"

#include <nlohmann/json.hpp>

#include "engine/cli/evaluation_text.h"
#include "engine/cli/portrait.h"
#include "engine/documents/measured_json.h"
#include "engine/documents/or_null.h"
#include "engine/documents/profile_json.h"
#include "engine/documents/row_sheet.h"
#include "store/records/model_call.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

Json PortraitJson(const Portrait& portrait) {
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

}  // namespace coppice::cli
