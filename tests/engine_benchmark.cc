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
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/campaign/campaign.h"
#include "engine/outside/ticket_issuer.h"
#include "engine/outside/ticket_offer.h"
#include "engine/outside/told.h"
#include "engine/process/clock.h"
#include "store/database.h"
#include "store/scratch_file.h"
#include "store/write/campaigns.h"
#include "tests/paced_agents.h"
#include "tests/planted_campaign.h"
#include "tests/planted_site.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using store::Must;

constexpr double kGoalOverhead_s = 0.005;
constexpr double kGoalBusy = 0.95;
constexpr double kGoalMemory_mb = 200.0;

class Quiet final : public engine::Observer {
 public:
  void OnCommit(const engine::Progress&, const NodeRecord&) override {}
  void OnConfirm(const engine::Progress&, NodeId) override {}
};

// Runs `attempts` more attempts, with the ledger of all requests; returns the
// seconds that all took.
double Grow(const fs::path& file, std::int64_t attempts, int parallel,
            double latency_s, eval::Evaluator& evaluator,
            store::Durability durability = store::Durability::kFull) {
  const PlantedSite site(file, attempts, latency_s, evaluator, durability);
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
  const store::ScratchDirectory scratch;
  const fs::path file = scratch.File("x.db");
  PlantCampaign(file, nodes);
  PacedEvaluator evaluator(0.0);
  const double open_s = Grow(file, 0, 1, 0.0, evaluator);
  const auto each_s = [&](store::Durability durability) {
    const double all_s = Grow(file, attempts, 1, 0.0, evaluator, durability);
    return (all_s - open_s) / static_cast<double>(attempts);
  };
  const double unsynced_s = each_s(store::Durability::kNormal);
  const double sync_s = SyncSeconds(scratch.File("probe"));
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
  const store::ScratchDirectory scratch;
  const fs::path file = scratch.File("x.db");
  PlantCampaign(file, nodes);
  PacedEvaluator evaluator(kEvaluation_s);
  const double all_s = Grow(file, attempts, 32, 20 * kEvaluation_s, evaluator);
  std::printf(
      "32 in flight, models 20 x %.0f ms: evaluator %.1f %% busy, %.3f of the "
      "goal of %.0f %%; %lld attempts in %.1f s\n",
      1e3 * kEvaluation_s, 100 * evaluator.Busy(), evaluator.Busy() / kGoalBusy,
      100 * kGoalBusy, static_cast<long long>(attempts), all_s);
}

void MeasureMemory(std::int64_t nodes, std::int64_t attempts) {
  const store::ScratchDirectory scratch;
  const fs::path file = scratch.File("x.db");
  PlantCampaign(file, nodes);
  PacedEvaluator evaluator(0.0);
  const double all_s = Grow(file, attempts, 8, 0.0, evaluator);
  const double peak_mb = PeakMegabytes();
  std::printf(
      "%lld nodes of %zu bytes, %lld attempts more in %.1f s: peak RSS %.0f "
      "MB, %.2f of the goal of %.0f MB; file %.0f MB\n",
      static_cast<long long>(nodes), kPlantedBytes,
      static_cast<long long>(attempts), all_s, peak_mb,
      peak_mb / kGoalMemory_mb, kGoalMemory_mb,
      static_cast<double>(fs::file_size(file)) / 1e6);
}

struct Pairs {
  double per_second = 0.0;
  double slow_ask_s = 0.0;  // One in a hundred takes longer.
};

// One agent, which plans and codes in one tell.
Pairs AskAndTell(const fs::path& file, std::int64_t attempts,
                 store::Durability durability) {
  PacedEvaluator evaluator(0.0);
  const PlantedSite site(file, attempts, 0.0, evaluator, durability);
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
  const store::ScratchDirectory scratch;
  const fs::path file = scratch.File("x.db");
  PlantCampaign(file, nodes);
  for (const auto durability :
       {store::Durability::kNormal, store::Durability::kFull}) {
    const Pairs pairs = AskAndTell(file, attempts, durability);
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

int main(int argc, char** argv) {
  try {
    return coppice::Run(argc, argv);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "engine_benchmark: %s\n", exception.what());
    return 1;
  }
}
