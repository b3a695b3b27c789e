#include "engine/traces.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "engine/solutions.h"
#include "eval/same_task.h"
#include "eval/trace_set.h"
#include "store/attempts.h"
#include "store/nodes.h"

namespace coppice::engine {
namespace {

namespace chrono = std::chrono;
using eval::Trace;
using eval::TraceSet;

constexpr const char* kPolicy = "traces";  // In the place of a policy's name.

// What stands in the set of a task itself.
void AddTask(const Task& task, TraceSet& own) {
  own.definitions.emplace(task.definition.name, eval::FiledOf(task.definition));
  for (const Solution& solution : {task.root, task.oracle}) {
    if (solution.sources.empty()) continue;
    own.solutions.emplace(solution.name, eval::FiledOf(solution));
  }
  if (task.expert) {
    own.solutions.emplace(task.expert->name, eval::FiledOf(*task.expert));
  }
  for (const Workload& workload : task.workloads) {
    own.workloads.push_back({task.definition.name, workload, {}, {}});
  }
}

// Of a node that was imported, what was; else one of our own.
Result<Solution> SolutionAt(store::Database& database,
                            const store::CampaignRow& campaign,
                            const Task& task, const NodeRecord& node) {
  if (!node.parent) return task.root;
  TRY(attempt, store::Nodes(database).AttemptOf(campaign.id, node.id));
  if (attempt) {
    TRY(record, store::Attempts(database).Load(*attempt));
    if (record.reservation.policy == kPolicy) {
      return ImportedSolution(task, node, record.reservation.reason);
    }
  }
  return SolutionOf(campaign, task, node);
}

// A campaign knows its tensors by their place on this machine; a set by that
// below itself.
void TakeBlobs(Task& task, TraceSet& set) {
  for (Workload& workload : task.workloads) {
    for (auto& [name, input] : workload.inputs) {
      auto* file = std::get_if<SafetensorsInput>(&input);
      if (file == nullptr) continue;
      const std::size_t at = file->path.rfind("/blob/");
      std::error_code ignored;
      if (at == std::string::npos ||
          !std::filesystem::is_regular_file(file->path, ignored)) {
        continue;
      }
      const std::string within = file->path.substr(at + 1);
      set.blobs.emplace(within, file->path);
      file->path = within;
    }
  }
}

Result<void> AddCampaign(store::Database& database,
                         const store::CampaignRow& campaign, TraceSet& set) {
  TRY(task, eval::ParseTask(campaign.spec.task_json));
  if (task.root.language == Language::kSim ||
      task.format == TaskFormat::kKernelBench) {
    return {};
  }
  TraceSet own;
  TakeBlobs(task, own);
  AddTask(task, own);
  store::Nodes nodes(database);
  for (std::int64_t n = 0; n < campaign.nodes; ++n) {
    TRY(node, nodes.Load(campaign.id, NodeId{n}));
    if (!node.candidate) continue;
    TRY(solution, SolutionAt(database, campaign, task, node));
    own.solutions.emplace(solution.name, eval::FiledOf(solution));
    TRY(committed_at_s, nodes.CommittedAt(campaign.id, node.id));
    TRY(traces, eval::TracesOf(task, solution.name, node.evaluation,
                               TimestampText(committed_at_s)));
    std::move(traces.begin(), traces.end(), std::back_inserter(own.traces));
  }
  return eval::Merge(std::move(own), set);
}

// A solution with the traces that were written with its last one.
struct Traced {
  const Solution* solution = nullptr;
  std::string timestamp;
  std::vector<Trace> traces;
};

// By time, those of equal times by name.
std::vector<Traced> LastTraces(const TraceSet& set,
                               const std::string& definition) {
  std::map<std::string, Traced> by_solution;
  for (const Trace& trace : set.traces) {
    if (trace.definition != definition || !trace.evaluation) continue;
    const std::string& timestamp = trace.evaluation->timestamp;
    Traced& traced = by_solution[trace.solution.value_or("")];
    if (timestamp > traced.timestamp) traced.traces.clear();
    if (timestamp >= traced.timestamp) {
      traced.timestamp = timestamp;
      traced.traces.push_back(trace);
    }
  }
  std::vector<Traced> ordered;
  for (auto& [name, traced] : by_solution) {
    const auto found = set.solutions.find(name);
    if (found != set.solutions.end()) traced.solution = &found->second.value;
    ordered.push_back(std::move(traced));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Traced& a, const Traced& b) {
                     return a.timestamp < b.timestamp;
                   });
  return ordered;
}

store::CampaignSpec SpecOf(const Task& task, std::int64_t attempts,
                           const Clock& clock) {
  store::CampaignSpec spec;
  spec.uuid = FreshUuid(clock);
  spec.name = task.definition.name + ".traces";
  spec.task_name = task.definition.name;
  spec.task_json = eval::SerialiseTask(task);
  spec.policy = kPolicy;
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
    TRY(evaluation, eval::EvaluationOf(traced.traces));
    NodeRecord node;
    node.id = NodeId{nodes_};
    node.uuid = FreshUuid(clock_);
    const double at_s = UnixSecondsOf(traced.timestamp);
    const Solution& solution = *traced.solution;
    node.candidate = Candidate{solution.language, eval::SourceOf(solution),
                               solution.entry_symbol};
    node.evaluation = std::move(evaluation);
    std::optional<AttemptId> attempt;
    if (nodes_ > 0) {
      node.parent = NodeId{0};
      Plant(solution, task_, node);
      store::Attempts attempts(database_);
      TRY(reserved, attempts.Reserve(campaign_, ReservationOf(solution, at_s)));
      TRY_DONE(attempts.GiveCandidate(reserved, *node.candidate));
      attempt = reserved;
    }
    TRY_DONE(store::Nodes(database_).Commit(campaign_, attempt, node, at_s));
    ++nodes_;
    return {};
  }

  std::int64_t nodes() const { return nodes_; }

 private:
  Reservation ReservationOf(const Solution& solution, double at_s) const {
    Reservation reservation;
    reservation.uuid = FreshUuid(clock_);
    reservation.decision = nodes_ - 1;
    reservation.parent = NodeId{0};
    reservation.policy = kPolicy;
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
};

// The root first.
Result<void> ImportDefinition(const std::filesystem::path& root,
                              const std::string& definition,
                              std::vector<Traced> traced,
                              store::Database& database, const Clock& clock,
                              TraceImport& import) {
  auto loaded = eval::LoadTask(root, definition);
  if (!loaded && loaded.error().code == Errc::kNotFound) {
    import.left_out.emplace_back(definition, loaded.error().what);
    return {};
  }
  TRY(task, std::move(loaded));
  const auto baseline =
      std::find_if(traced.begin(), traced.end(), [&](const Traced& each) {
        return each.solution != nullptr &&
               each.solution->name == task.root.name;
      });
  if (baseline == traced.end()) {
    import.left_out.emplace_back(
        definition, "no traces of " + task.root.name +
                        ", which would be the root; coppice report reads it");
    return {};
  }
  std::rotate(traced.begin(), baseline, baseline + 1);
  const auto attempts = static_cast<std::int64_t>(traced.size()) - 1;
  const store::CampaignSpec spec = SpecOf(task, attempts, clock);
  TRY(campaign, store::Campaigns(database).Create(spec));
  Planter planter(database, campaign, task, clock);
  for (const Traced& each : traced) {
    if (each.solution == nullptr) {
      import.left_out.emplace_back(each.traces.front().solution.value_or(""),
                                   "the set has no such solution");
      continue;
    }
    TRY_DONE(planter.Add(each));
  }
  import.campaigns.push_back(spec.name);
  import.nodes += planter.nodes();
  return store::Campaigns(database).Update(
      campaign, store::CampaignState::kFinished, 0.0, clock.UnixSeconds());
}

}  // namespace

Result<TraceSet> TracesOf(store::Database& database,
                          const std::vector<store::CampaignRow>& campaigns) {
  TraceSet set;
  for (const store::CampaignRow& campaign : campaigns) {
    TRY_DONE(AddCampaign(database, campaign, set));
  }
  return set;
}

Result<TraceImport> ImportTraces(const std::filesystem::path& root,
                                 const TraceSet& set, store::Database& database,
                                 const Clock& clock) {
  TraceImport import;
  for (const auto& [definition, filed] : set.definitions) {
    std::vector<Traced> traced = LastTraces(set, definition);
    if (traced.empty()) continue;
    TRY_DONE(ImportDefinition(root, definition, std::move(traced), database,
                              clock, import));
  }
  return import;
}

std::string TimestampText(double unix_s) {
  const auto micros = static_cast<std::int64_t>(std::llround(unix_s * 1e6));
  const chrono::sys_time<chrono::microseconds> time{
      chrono::microseconds(micros)};
  const auto day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  char text[48];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%06d+00:00",
                static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text;
}

double UnixSecondsOf(const std::string& timestamp) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  double second = 0.0;
  if (std::sscanf(timestamp.c_str(), "%4d-%2u-%2uT%2d:%2d:%lf", &year, &month,
                  &day, &hour, &minute, &second) != 6) {
    return 0.0;
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(month),
                                    chrono::day(day)};
  if (!date.ok()) return 0.0;
  const auto days = chrono::sys_days(date).time_since_epoch();
  return static_cast<double>(
             chrono::duration_cast<chrono::seconds>(days).count()) +
         hour * 3600.0 + minute * 60.0 + second;
}

}  // namespace coppice::engine
