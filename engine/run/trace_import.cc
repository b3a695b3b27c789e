#include "engine/run/trace_import.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "engine/interchange/solutions.h"
#include "engine/interchange/traces.h"
#include "engine/process/clock.h"
#include "eval/formats/trace_set.h"
#include "eval/judge/same_task.h"
#include "store/database.h"
#include "store/records/node.h"
#include "store/write/attempts.h"
#include "store/write/baselines.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice::engine {
namespace {

using eval::Trace;
using eval::TraceSet;

// The traces of one evaluation, at most one of each workload.
struct TraceVerdict {
  std::string timestamp;  // Of the last.
  bool is_ours = false;
  eval::Occasion occasion;
  std::vector<Trace> traces;
  Evaluation evaluation;  // Told by the traces.
};

struct Traced {
  std::string name;
  const Solution* solution = nullptr;    // Null: the set lacks it.
  std::vector<TraceVerdict> judgements;  // In order of time.

  bool IsBaseline() const { return !judgements[0].occasion.baseline.empty(); }
};

// A trace of ours belongs to its own evaluation; one of others' to all that
// were last.
bool Belongs(const Trace& trace, const std::optional<eval::Occasion>& occasion,
             const TraceVerdict& judgement) {
  if (!occasion) return !judgement.is_ours;
  return judgement.is_ours &&
         judgement.timestamp == trace.evaluation->timestamp &&
         judgement.occasion.ordinal == occasion->ordinal;
}

void TakeTrace(const Trace& trace, TraceVerdict& judgement) {
  const std::string& timestamp = trace.evaluation->timestamp;
  judgement.timestamp = std::max(judgement.timestamp, timestamp);
  const auto known =
      std::ranges::find(judgement.traces, trace.workload.uuid,
                        [](const Trace& one) { return one.workload.uuid; });
  if (known == judgement.traces.end()) {
    judgement.traces.push_back(trace);
  } else if (timestamp >= known->evaluation->timestamp) {
    *known = trace;
  }
}

// The traces of each solution and, apart, of each baseline.
Result<std::vector<Traced>> TracedOf(const TraceSet& set, const Task& task,
                                     TraceImport& import) {
  std::map<std::pair<std::string, std::string>, Traced> all;
  std::set<std::string> workloads;
  for (const Workload& workload : task.workloads) {
    workloads.insert(workload.uuid);
  }
  std::map<std::string, std::string> strange;
  for (const Trace& trace : set.traces) {
    if (trace.definition != task.definition.name || !trace.evaluation) continue;
    const std::string name = trace.solution.value_or("");
    if (!workloads.contains(trace.workload.uuid)) {
      strange.emplace(name, "the set has no workload " + trace.workload.uuid);
      continue;
    }
    TRY(occasion, eval::OccasionOf(*trace.evaluation));
    // Others' traces of the task's own expert are what it is compared with.
    const bool is_expert = task.expert && task.expert->name == name;
    const std::string baseline = occasion    ? occasion->baseline
                                 : is_expert ? store::kExpertBaseline
                                             : "";
    Traced& traced = all[{name, baseline}];
    traced.name = name;
    const auto found = std::ranges::find_if(
        traced.judgements,
        [&](const TraceVerdict& one) { return Belongs(trace, occasion, one); });
    if (found != traced.judgements.end()) {
      TakeTrace(trace, *found);
      continue;
    }
    TraceVerdict judgement{
        "", occasion.has_value(), occasion.value_or(eval::Occasion{}), {}, {}};
    judgement.occasion.baseline = baseline;
    TakeTrace(trace, judgement);
    traced.judgements.push_back(std::move(judgement));
  }
  for (auto& [name, why] : strange) import.left_out.emplace_back(name, why);
  std::vector<Traced> listed;
  for (auto& [key, traced] : all) {
    const auto found = set.solutions.find(traced.name);
    if (found != set.solutions.end()) traced.solution = &found->second.value;
    listed.push_back(std::move(traced));
  }
  return listed;
}

// Where the first of a node's judgements are not those it was committed with,
// since several campaigns had it as their root, the last that decided stands
// for these: the others are further ones.
void PutInOrder(std::vector<TraceVerdict>& judgements) {
  std::ranges::stable_sort(judgements, {}, [](const TraceVerdict& one) {
    return std::tuple(one.timestamp, one.occasion.ordinal);
  });
  std::int64_t next = 0;
  bool as_they_were = !judgements[0].occasion.further;
  for (const TraceVerdict& one : judgements) {
    as_they_were &= one.is_ours && one.occasion.ordinal == next++;
  }
  const bool too_many =
      std::ranges::count_if(judgements, [](const TraceVerdict& one) {
        return !one.occasion.further;
      }) > 2;
  if (as_they_were && !too_many) return;
  const auto decides = std::find_if(
      judgements.rbegin(), judgements.rend(),
      [](const TraceVerdict& one) { return one.occasion.decides; });
  if (decides != judgements.rend()) {
    std::rotate(judgements.begin(), decides.base() - 1, decides.base());
  }
  for (TraceVerdict& one : judgements) {
    one.occasion.further = &one != &judgements[0];
  }
}

// Without what tells no evaluation, which is said.
Result<std::vector<Traced>> JudgedOf(std::vector<Traced> listed,
                                     TraceImport& import) {
  std::vector<Traced> judged;
  for (Traced& traced : listed) {
    std::string why;
    for (TraceVerdict& one : traced.judgements) {
      auto evaluation = eval::EvaluationOf(one.traces);
      if (!evaluation) {
        why = evaluation.error().what;
        break;
      }
      one.evaluation = *std::move(evaluation);
    }
    if (why.empty() && traced.solution == nullptr && !traced.IsBaseline()) {
      why = "the set has no such solution";
    }
    if (!why.empty()) {
      import.left_out.emplace_back(traced.name, why);
      continue;
    }
    PutInOrder(traced.judgements);
    judged.push_back(std::move(traced));
  }
  // By time, those of equal times by name.
  std::ranges::stable_sort(judged, {}, [](const Traced& traced) {
    return traced.judgements[0].timestamp;
  });
  return judged;
}

// What others' traces tell of a Python reference, as traces of its own: on each
// workload the median of the times that were measured beside them.
std::optional<Traced> ReferenceTimes(const Task& task,
                                     const std::vector<Traced>& listed) {
  std::map<std::string, std::vector<double>> times_ms;
  std::map<std::string, Trace> first;  // By time.
  for (const Traced& traced : listed) {
    for (const TraceVerdict& judgement : traced.judgements) {
      for (const Trace& trace : judgement.traces) {
        const auto& performance = trace.evaluation->performance;
        if (!performance || performance->reference_latency_ms <= 0.0) continue;
        const std::string& uuid = trace.workload.uuid;
        times_ms[uuid].push_back(performance->reference_latency_ms);
        const auto [known, added] = first.emplace(uuid, trace);
        if (!added &&
            trace.evaluation->timestamp < known->second.evaluation->timestamp) {
          known->second = trace;
        }
      }
    }
  }
  if (times_ms.empty()) return std::nullopt;
  Traced root{task.root.name, &task.root, {{}}};
  TraceVerdict& judgement = root.judgements[0];
  for (const Workload& workload : task.workloads) {
    const auto found = first.find(workload.uuid);
    if (found == first.end()) continue;
    Trace trace = found->second;
    trace.solution = task.root.name;
    const double median_ms = Median(times_ms.at(workload.uuid));
    trace.evaluation->log.clear();
    trace.evaluation->correctness = eval::Correctness{};
    trace.evaluation->performance = {median_ms, median_ms, 1.0};
    TakeTrace(trace, judgement);
  }
  return root;
}

std::string CampaignOf(const std::string& definition) {
  return definition + ".traces";
}

store::CampaignSpec SpecOf(const Task& task, std::int64_t attempts,
                           const Clock& clock) {
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(clock);
  spec.name = CampaignOf(task.definition.name);
  spec.task_name = task.definition.name;
  spec.task_json = eval::SerialiseTask(task);
  spec.policy = kTracesPolicy;
  spec.budget_attempts = attempts;
  spec.created_at_s = clock.UnixSeconds();
  return spec;
}

// One at a time, so that each sees all before it.
class Planter {
 public:
  Planter(store::Database& database, CampaignId campaign, const Task& task,
          const Clock& clock)
      : database_(database), campaign_(campaign), task_(task), clock_(clock) {}

  Result<void> Add(const Traced& traced) {
    evaluations_ += static_cast<std::int64_t>(traced.judgements.size());
    return traced.IsBaseline() ? AddBaseline(traced) : AddNode(traced);
  }

  std::int64_t nodes() const { return nodes_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  Result<void> AddBaseline(const Traced& traced) {
    for (const TraceVerdict& one : traced.judgements) {
      TRY_DONE(store::AddBaselineEvaluation(
          database_, campaign_, one.occasion.baseline, one.evaluation,
          UnixSecondsOf(one.timestamp)));
    }
    return {};
  }

  Result<void> AddNode(const Traced& traced) {
    const std::vector<TraceVerdict>& judgements = traced.judgements;
    const Solution& solution = *traced.solution;
    const double at_s = UnixSecondsOf(judgements[0].timestamp);
    // One that made it a would-be best, and one that proved it.
    const bool screened =
        judgements.size() > 1 && !judgements[1].occasion.further;
    NodeRecord node;
    node.id = NodeId{nodes_};
    node.uuid = FreshUuid(clock_);
    node.candidate = Candidate{solution.language, eval::SourceOf(solution),
                               solution.entry_symbol};
    if (screened) node.screening = judgements[0].evaluation;
    node.evaluation = judgements[screened ? 1 : 0].evaluation;
    std::optional<AttemptId> attempt;
    if (nodes_ > 0) {
      node.parent = NodeId{0};
      Plant(solution, task_, node);
      store::Attempts attempts(database_);
      TRY(reserved, attempts.Reserve(campaign_, ReservationOf(solution, at_s)));
      TRY_DONE(attempts.GiveCandidate(reserved, *node.candidate));
      attempt = reserved;
    }
    store::Nodes nodes(database_);
    TRY_DONE(nodes.Commit(campaign_, attempt, node, at_s));
    for (std::size_t i = screened ? 2 : 1; i < judgements.size(); ++i) {
      TRY_DONE(nodes.AddEvaluation(campaign_, node.id, judgements[i].evaluation,
                                   UnixSecondsOf(judgements[i].timestamp)));
    }
    ++nodes_;
    return {};
  }

  Reservation ReservationOf(const Solution& solution, double at_s) const {
    Reservation reservation;
    reservation.uuid = FreshUuid(clock_);
    reservation.decision = nodes_ - 1;
    reservation.parent = NodeId{0};
    reservation.policy = kTracesPolicy;
    reservation.reason = ReasonFor(solution);
    reservation.lease_owner = "import";
    reservation.lease_until_s = at_s;
    reservation.reserved_at_s = at_s;
    reservation.nodes_seen = nodes_;
    return reservation;
  }

  store::Database& database_;
  const CampaignId campaign_;
  const Task& task_;
  const Clock& clock_;
  std::int64_t nodes_ = 0;
  std::int64_t evaluations_ = 0;
};

std::string WithoutRoot(const Task& task) {
  return task.format == TaskFormat::kFlashInferBench
             ? "no trace tells how long its reference takes; coppice report "
               "reads it"
             : "no traces of " + task.root.name +
                   ", which would be the root; coppice report reads it";
}

// The root first.
Result<void> ImportDefinition(const std::filesystem::path& root,
                              const TraceSet& set,
                              const std::string& definition,
                              store::Database& database, const Clock& clock,
                              TraceImport& import) {
  auto loaded = eval::LoadTask(root, definition);
  if (!loaded && loaded.error().code == Errc::kNotFound) {
    import.left_out.emplace_back(definition, loaded.error().what);
    return {};
  }
  TRY(task, std::move(loaded));
  TRY(listed, TracedOf(set, task, import));
  const auto is_root = [&](const Traced& each) {
    return each.name == task.root.name && !each.IsBaseline();
  };
  if (std::ranges::none_of(listed, is_root) &&
      task.format == TaskFormat::kFlashInferBench) {
    if (auto times = ReferenceTimes(task, listed)) {
      listed.push_back(*std::move(times));
    }
  }
  TRY(judged, JudgedOf(std::move(listed), import));
  const auto first = std::ranges::find_if(judged, is_root);
  if (first == judged.end()) {
    import.left_out.emplace_back(definition, WithoutRoot(task));
    return {};
  }
  std::rotate(judged.begin(), first, first + 1);
  const auto attempts =
      std::ranges::count_if(
          judged, [](const Traced& each) { return !each.IsBaseline(); }) -
      1;
  const store::CampaignSpec spec = SpecOf(task, attempts, clock);
  TRY(campaign, store::Campaigns(database).Create(spec));
  Planter planter(database, campaign, task, clock);
  for (const Traced& each : judged) TRY_DONE(planter.Add(each));
  import.campaigns.push_back(spec.name);
  import.nodes += planter.nodes();
  import.evaluations += planter.evaluations();
  return store::Campaigns(database).Update(
      campaign, store::CampaignState::kFinished, 0.0, clock.UnixSeconds());
}

std::vector<std::string> TracedDefinitions(const TraceSet& set) {
  std::vector<std::string> traced;
  for (const auto& [name, filed] : set.definitions) {
    const auto is_of_it = [&definition = name](const Trace& trace) {
      return trace.definition == definition && trace.evaluation;
    };
    if (std::ranges::any_of(set.traces, is_of_it)) traced.push_back(name);
  }
  return traced;
}

// A second import could not tell what it has from what is new.
Result<void> MustBeNew(store::Database& database,
                       const std::vector<std::string>& definitions) {
  for (const std::string& definition : definitions) {
    const std::string name = CampaignOf(definition);
    const auto known = store::Campaigns(database).Find(name);
    if (known) {
      return Fail(Errc::kUsage,
                  name +
                      ": is in the database already; import into another "
                      "with --db");
    }
    if (known.error().code != Errc::kNotFound) {
      return tl::unexpected<Error>(known.error());
    }
  }
  return {};
}

}  // namespace

Result<TraceImport> ImportTraces(const std::filesystem::path& root,
                                 const TraceSet& set, store::Database& database,
                                 const Clock& clock) {
  const std::vector<std::string> definitions = TracedDefinitions(set);
  TRY_DONE(MustBeNew(database, definitions));
  TraceImport import;
  for (const std::string& definition : definitions) {
    TRY_DONE(ImportDefinition(root, set, definition, database, clock, import));
  }
  return import;
}

}  // namespace coppice::engine
