// What the engine adds to the time of models and evaluators, and what it needs:
//
//   engine_benchmark overhead [NODES]  per attempt, on a campaign of 100,000
//   engine_benchmark busy              how busy 32 attempts keep the evaluator
//   engine_benchmark memory [NODES]    peak RSS on a campaign of 1,000,000
//   engine_benchmark tickets [NODES]   asks and tells of an outside agent
//
// Models and evaluator are simulated: they take the time they are told to, and
// none otherwise.  Files go into TMPDIR, which needs 3 KB for each node.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agents/prompt/prompt_context.h"
#include "agents/prompt/prompt_templates.h"
#include "agents/provider/retrying_model.h"
#include "agents/provider/transport.h"
#include "engine/campaign/campaign.h"
#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/root_candidate.h"
#include "engine/campaign/station.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "engine/process/clock.h"
#include "engine/process/system_timer.h"
#include "eval/judge/evaluator.h"
#include "search/policy.h"
#include "store/database.h"
#include "store/records/node.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t kSourceBytes = 8192;
constexpr double kGoalOverhead_s = 0.005;
constexpr double kGoalBusy = 0.95;
constexpr double kGoalMemory_mb = 200.0;

template <class T>
T Must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "engine_benchmark: %s\n", result.error().what.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

const engine::SystemClock& TheClock() {
  static const engine::SystemClock kClock;
  return kClock;
}

// 8 KB of statements; the first line tells candidates apart.
std::string SourceOf(std::uint64_t version) {
  std::string source = "int version = " + std::to_string(version) + ";\n";
  for (int i = 0; source.size() < kSourceBytes; ++i) {
    const std::string n = std::to_string(i * 7919 % 1009);
    source += "  acc[" + n + "] += a[i * " + n + " + k] * b[k * n + j];\n";
  }
  return source;
}

// Two thirds pass, in 1 to 2 seconds.
Evaluation Judge(std::string_view source) {
  const std::uint64_t hash = std::hash<std::string_view>()(source);
  Evaluation evaluation;
  evaluation.environment.hardware = "simulated";
  if (hash % 3 == 0) {
    evaluation.verdict = Verdict::kCompileFailed;
    evaluation.log = "kernel.cc:7: error: expected ';'";
    return evaluation;
  }
  evaluation.verdict = Verdict::kPassed;
  WorkloadResult& result = evaluation.workloads.emplace_back();
  result.workload = "w";
  result.verdict = Verdict::kPassed;
  result.samples_s = {1.0 + static_cast<double>(hash % 1'000'003) / 1'000'003};
  result.root_samples_s = {2.0};
  Summarise(evaluation);
  return evaluation;
}

// Changes the first line.  A plan and the code for it take `latency_s`
// together, as a repair does alone.
class PacedModel final : public agents::Model {
 public:
  explicit PacedModel(double latency_s) : latency_s_(latency_s) {}
  std::string_view Provider() const override { return "simulation"; }
  std::string_view ModelName() const override { return "paced"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    const bool is_half = request.role != Role::kDebug;
    const double wait_s = is_half ? latency_s_ / 2 : latency_s_;
    if (wait_s > 0) std::this_thread::sleep_for(Seconds(wait_s));
    const std::string& source = request.context->selected.source;
    const std::size_t line = source.find('\n') + 1;
    std::string text;
    if (request.role == Role::kPlan) {
      text = "Edit it.\nTechnique: edit\n```cpp\n// <<<IMPROVE BEGIN>>>\n" +
             source.substr(0, line) + "// <<<IMPROVE END>>>\n" +
             source.substr(line) + "```\n";
    } else {
      text = "```cpp\n// decision " + std::to_string(request.sample_index) +
             "\n" + source.substr(line) + "```\n";
    }
    return agents::ModelAnswer{std::move(text), {}, 0.0};
  }

 private:
  const double latency_s_;
};

class PacedEvaluator final : public eval::Evaluator {
 public:
  explicit PacedEvaluator(double time_s) : time_s_(time_s) {}

  Result<Evaluation> Evaluate(const Task&, const Candidate& candidate,
                              Tier tier) override {
    const double begin = TheClock().Monotonic();
    if (!first_s_) first_s_ = begin;
    if (time_s_ > 0) std::this_thread::sleep_for(Seconds(time_s_));
    Evaluation evaluation = Judge(candidate.source);
    evaluation.tier = tier;
    last_s_ = TheClock().Monotonic();
    busy_s_ += last_s_ - begin;
    return evaluation;
  }

  // Share of the time from its first evaluation to the end of its last.
  double Busy() const { return busy_s_ / (last_s_ - *first_s_); }

 private:
  const double time_s_;
  std::optional<double> first_s_;
  double last_s_ = 0.0;
  double busy_s_ = 0.0;
};

class Quiet final : public engine::Observer {
 public:
  void OnCommit(const engine::Progress&, const NodeRecord&) override {}
  void OnConfirm(const engine::Progress&, NodeId) override {}
};

Task TheTask() {
  Task task;
  task.definition.name = "benchmark";
  task.root.language = Language::kCpp;
  task.root.entry_file = "kernel.cc";
  task.root.entry_symbol = "run";
  std::uint64_t version = 0;  // A root has to pass.
  while (Judge(SourceOf(version)).verdict != Verdict::kPassed) ++version;
  task.root.sources = {{"kernel.cc", SourceOf(version)}};
  return task;
}

// A file of its own in TMPDIR, gone at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern =
        (fs::temp_directory_path() / "coppice_engine_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      std::perror("engine_benchmark: mkdtemp");
      std::exit(1);
    }
    path_ = pattern;
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path File() const { return path_ / "x.db"; }
  fs::path Probe() const { return path_ / "probe"; }

 private:
  fs::path path_;
};

void AddNode(store::Database& database, CampaignId campaign,
             std::int64_t number, NodeId parent) {
  Reservation reservation;
  reservation.uuid = engine::FreshUuid(TheClock());
  reservation.decision = number - 1;
  reservation.parent = parent;
  reservation.policy = "stark";
  reservation.lease_owner = "benchmark";
  reservation.nodes_seen = number;
  const AttemptId attempt =
      Must(store::Attempts(database).Reserve(campaign, reservation));
  CallIntent intent;
  intent.uuid = engine::FreshUuid(TheClock());
  intent.role = Role::kDebug;
  NodeRecord node;
  node.id = NodeId{number};
  node.uuid = engine::FreshUuid(TheClock());
  node.parent = parent;
  node.candidate =
      Candidate{Language::kCpp,
                SourceOf(static_cast<std::uint64_t>(number) + 1000), "run"};
  node.evaluation = Judge(node.candidate->source);
  store::Calls calls(database);
  const CallId call = Must(calls.Begin(attempt, intent, {}));
  CallEnd end;
  end.answer = "see the candidate";
  Must(calls.EndWithCandidate(call, end, *node.candidate, {}));
  Must(store::Nodes(database).Commit(campaign, attempt, node, 1e9));
}

// In a process of its own, whose memory is not ours.
void Plant(const fs::path& file, std::int64_t nodes) {
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::exit(1);
    return;
  }
  auto database = Must(store::Database::Open(file, store::Access::kCreate,
                                             store::Durability::kNormal));
  const Task task = TheTask();
  store::CampaignSpec spec;
  spec.uuid = engine::FreshUuid(TheClock());
  spec.name = "c";
  spec.task_name = task.definition.name;
  spec.task_json = "{}";
  spec.policy = "stark";
  spec.budget_attempts = nodes;
  const CampaignId campaign = Must(store::Campaigns(database).Create(spec));
  NodeRecord root;
  root.uuid = engine::FreshUuid(TheClock());
  root.candidate = engine::RootCandidate(task);
  root.evaluation = Judge(root.candidate->source);
  Must(store::Nodes(database).Commit(campaign, std::nullopt, root, 1e9));
  // Every node has some three children.
  for (std::int64_t i = 1; i <= nodes; ++i) {
    AddNode(database, campaign, i, NodeId{(i - 1) / 3});
  }
  _exit(0);
}

// The campaign of a file, with so many attempts more to make and all that it
// takes.
class Site {
 public:
  Site(const fs::path& file, std::int64_t attempts, double latency_s,
       eval::Evaluator& evaluator, store::Durability durability)
      : database_(Must(store::Database::Open(file, store::Access::kReadWrite,
                                             durability))),
        task_(TheTask()),
        policy_(Must(search::MakePolicy("stark"))),
        prompts_(Must(agents::PromptTemplates::Load(
            fs::path(COPPICE_SOURCE_DIR) / "data" / "prompts"))),
        timer_(TheClock()),
        model_(agents::MakeRetryingModel(
            agents::MakeModelTransport(std::make_unique<PacedModel>(latency_s)),
            std::make_shared<agents::Throttle>(agents::Limits{}, timer_),
            timer_, {})),
        agent_{model_.get(), {}},
        parts_{database_,  task_,  *policy_,    agent_,
               agent_,     agent_, prompts_,    {{&evaluator, ""}},
               TheClock(), {5, 2}, "simulated", 1} {
    store::Campaigns campaigns(database_);
    row_ = Must(campaigns.List()).at(0);
    row_.spec.budget_attempts = row_.attempts + attempts;
    Must(campaigns.SetBudget(row_.id, row_.spec.budget_attempts, std::nullopt));
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const engine::CampaignParts& parts() const { return parts_; }
  const store::CampaignRow& row() const { return row_; }

 private:
  store::Database database_;
  const Task task_;
  const std::unique_ptr<search::Policy> policy_;
  const agents::PromptTemplates prompts_;
  engine::SystemTimer timer_;
  const std::unique_ptr<agents::Model> model_;
  const engine::Agent agent_;
  const engine::CampaignParts parts_;
  store::CampaignRow row_;
};

// Runs `attempts` more attempts, with the ledger of all requests; returns the
// seconds that all took.
double Grow(const fs::path& file, std::int64_t attempts, int parallel,
            double latency_s, eval::Evaluator& evaluator,
            store::Durability durability = store::Durability::kFull) {
  const Site site(file, attempts, latency_s, evaluator, durability);
  engine::Campaign::Options options;
  options.database = file;
  options.confirm = false;
  options.parallel = parallel;
  engine::Campaign campaign(site.parts(), site.row(), options);
  Quiet observer;
  const double begin = TheClock().Monotonic();
  Must(campaign.Run(observer));
  return TheClock().Monotonic() - begin;
}

// Median seconds of writing and syncing a page: what a commit cannot do
// without.
double SyncSeconds(const fs::path& file) {
  const int probe = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::array<char, 4096> page{};
  std::vector<double> times;
  for (int i = 0; i < 101; ++i) {
    const double begin = TheClock().Monotonic();
    if (write(probe, page.data(), page.size()) < 0 || fdatasync(probe) != 0) {
      std::perror("engine_benchmark: probe");
      std::exit(1);
    }
    times.push_back(TheClock().Monotonic() - begin);
  }
  close(probe);
  std::nth_element(times.begin(), times.begin() + 50, times.end());
  return times[50];
}

double PeakMegabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024.0;
  }
  return 0.0;
}

void MeasureOverhead(std::int64_t nodes, std::int64_t attempts) {
  const Scratch scratch;
  Plant(scratch.File(), nodes);
  PacedEvaluator evaluator(0.0);
  const double open_s = Grow(scratch.File(), 0, 1, 0.0, evaluator);
  const auto each_s = [&](store::Durability durability) {
    const double all_s =
        Grow(scratch.File(), attempts, 1, 0.0, evaluator, durability);
    return (all_s - open_s) / static_cast<double>(attempts);
  };
  const double unsynced_s = each_s(store::Durability::kNormal);
  const double sync_s = SyncSeconds(scratch.Probe());
  const double synced_s = each_s(store::Durability::kFull);
  std::printf(
      "overhead at %lld nodes: %.2f ms per attempt, %.2f of the goal of %.0f "
      "ms; %.2f ms without waiting for the disk, which syncs a page in %.2f "
      "ms; opening %.0f ms\n",
      static_cast<long long>(nodes), 1e3 * synced_s, synced_s / kGoalOverhead_s,
      1e3 * kGoalOverhead_s, 1e3 * unsynced_s, 1e3 * sync_s, 1e3 * open_s);
}

void MeasureBusy(std::int64_t nodes, std::int64_t attempts) {
  constexpr double kEvaluation_s = 0.02;
  const Scratch scratch;
  Plant(scratch.File(), nodes);
  PacedEvaluator evaluator(kEvaluation_s);
  const double all_s =
      Grow(scratch.File(), attempts, 32, 20 * kEvaluation_s, evaluator);
  std::printf(
      "32 in flight, models 20 x %.0f ms: evaluator %.1f %% busy, %.3f of the "
      "goal of %.0f %%; %lld attempts in %.1f s\n",
      1e3 * kEvaluation_s, 100 * evaluator.Busy(), evaluator.Busy() / kGoalBusy,
      100 * kGoalBusy, static_cast<long long>(attempts), all_s);
}

void MeasureMemory(std::int64_t nodes, std::int64_t attempts) {
  const Scratch scratch;
  Plant(scratch.File(), nodes);
  PacedEvaluator evaluator(0.0);
  const double all_s = Grow(scratch.File(), attempts, 8, 0.0, evaluator);
  const double peak_mb = PeakMegabytes();
  std::printf(
      "%lld nodes of %zu bytes, %lld attempts more in %.1f s: peak RSS %.0f "
      "MB, %.2f of the goal of %.0f MB; file %.0f MB\n",
      static_cast<long long>(nodes), kSourceBytes,
      static_cast<long long>(attempts), all_s, peak_mb,
      peak_mb / kGoalMemory_mb, kGoalMemory_mb,
      static_cast<double>(fs::file_size(scratch.File())) / 1e6);
}

struct Pairs {
  double per_second = 0.0;
  double slow_ask_s = 0.0;  // One in a hundred takes longer.
};

// One agent, which plans and codes in one tell.
Pairs AskAndTell(const fs::path& file, std::int64_t attempts,
                 store::Durability durability) {
  PacedEvaluator evaluator(0.0);
  const Site site(file, attempts, 0.0, evaluator, durability);
  const auto ticket_issuer = Must(engine::TicketIssuer::Open(
      site.parts(), site.row(), {.database = file, .confirm = false}));
  engine::AgentWish wish;
  wish.agent = "benchmark";
  std::vector<double> asks;
  const double begin = TheClock().Monotonic();
  for (std::int64_t i = 0; i < attempts; ++i) {
    const double asked = TheClock().Monotonic();
    const engine::Asked given = Must(ticket_issuer->Ask(wish));
    asks.push_back(TheClock().Monotonic() - asked);
    const engine::TicketOffer& offer = given.offers.at(0);
    const std::string& source = offer.window.at(0).source;
    const std::size_t line = source.find('\n') + 1;
    engine::Told told;
    if (offer.role == Role::kPlan) {
      told.plan =
          "Edit it.\nTechnique: edit\n```cpp\n// <<<IMPROVE BEGIN>>>\n" +
          source.substr(0, line) + "// <<<IMPROVE END>>>\n" +
          source.substr(line) + "```\n";
    }
    told.source = "// decision " + std::to_string(offer.decision) + "\n" +
                  source.substr(line);
    Must(ticket_issuer->Tell(offer.ticket.uuid, told,
                             engine::TicketIssuer::Judging::kHere));
  }
  const double all_s = TheClock().Monotonic() - begin;
  std::ranges::sort(asks);
  return {static_cast<double>(attempts) / all_s, asks[asks.size() * 99 / 100]};
}

void MeasureTickets(std::int64_t nodes, std::int64_t attempts) {
  constexpr double kGoalPairs = 300.0;
  constexpr double kGoalAsk_s = 0.02;
  const Scratch scratch;
  Plant(scratch.File(), nodes);
  for (const auto durability :
       {store::Durability::kNormal, store::Durability::kFull}) {
    const Pairs pairs = AskAndTell(scratch.File(), attempts, durability);
    std::printf(
        "tickets at %lld nodes, %s: %.0f asks and tells a second, %.2f of the "
        "goal of %.0f; 99 %% of the asks in %.1f ms, %.2f of the goal of %.0f "
        "ms\n",
        static_cast<long long>(nodes),
        durability == store::Durability::kFull ? "synced" : "not synced",
        pairs.per_second, pairs.per_second / kGoalPairs, kGoalPairs,
        1e3 * pairs.slow_ask_s, pairs.slow_ask_s / kGoalAsk_s,
        1e3 * kGoalAsk_s);
  }
}

struct Measurement {
  std::string_view name;
  void (*measure)(std::int64_t nodes, std::int64_t attempts);
  std::int64_t nodes;  // By default.
  std::int64_t attempts;
};
constexpr Measurement kMeasurements[] = {
    {"overhead", MeasureOverhead, 100'000, 500},
    {"busy", MeasureBusy, 100, 1000},
    {"memory", MeasureMemory, 1'000'000, 1000},
    {"tickets", MeasureTickets, 100'000, 500}};

int Run(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto number = [&](int at, std::int64_t by_default) {
    return argc > at ? std::atoll(argv[at]) : by_default;
  };
  for (const Measurement& each : kMeasurements) {
    const std::int64_t nodes = number(2, each.nodes);
    const std::int64_t attempts = number(3, each.attempts);
    if (each.name != what || nodes < 1 || attempts < 1) continue;
    each.measure(nodes, attempts);
    return 0;
  }
  std::fprintf(stderr,
               "usage: engine_benchmark overhead|busy|memory|tickets [NODES "
               "[ATTEMPTS]]\n");
  return 2;
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) { return coppice::Run(argc, argv); }
