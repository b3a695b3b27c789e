// What campaigns in memory cost, and what they come to on recorded spaces:
//
//   landscape_benchmark speed [SECONDS]     attempts per second and policy,
//                                           each measured for so long (0.5)
//   landscape_benchmark recorded DIRECTORY [CAMPAIGNS]
//                                           of data/, which has tuning_spaces/;
//                                           campaigns of each row (400)
//
// The speed is given beside that of a bare loop, which makes as many attempts
// on random nodes of the same tasks without a tree or a policy.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/factory/recorded_file.h"
#include "search/landscapes/in_memory_campaign.h"
#include "store/records/random.h"

namespace coppice {
namespace {

using search::TaskLaw;
using search::Workforce;
using Clock = std::chrono::steady_clock;

constexpr double kGoalPerSecond = 100000.0;

template <class T>
T Must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "landscape_benchmark: %s\n",
                 result.error().what.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

// Attempts per second of `campaign(seed)`, which makes `attempts`.
template <class RunCampaign>
double Rate(std::int64_t attempts, double enough_s, RunCampaign campaign) {
  const Clock::time_point start = Clock::now();
  double taken_s = 0.0;
  std::uint64_t seed = 0;
  while (taken_s < enough_s) {
    campaign(++seed);
    taken_s = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return static_cast<double>(seed) * static_cast<double>(attempts) / taken_s;
}

// Somewhere to leave results, so that they are not optimised away.
volatile double sink = 0.0;

void AttemptBarely(const TaskLaw& law, std::uint64_t seed,
                   std::int64_t attempts) {
  const search::Simulation task = law.TaskOf(seed);
  RandomStream stream(seed, Purpose::kSelect, 0);
  std::vector<search::Point> points = {task.Root()};
  points.reserve(static_cast<std::size_t>(attempts) + 1);
  for (std::int64_t i = 0; i < attempts; ++i) {
    const search::Point parent = points[stream.Below(points.size())];
    points.push_back(task.Attempt(parent, i, Workforce::kTeam, {}));
  }
  sink = points.back().measured;
}

void PrintSpeeds(double enough_s) {
  std::printf("%-16s  %-11s  %8s  %12s  %10s  %10s\n", "policy", "landscape",
              "attempts", "per second", "bare loop", "goal");
  for (const char* landscape : {"hill/1", "nk/1"}) {
    const TaskLaw law = *search::CalibratedLaw(landscape);
    for (const std::int64_t attempts : {30, 1000}) {
      const double bare = Rate(attempts, enough_s, [&](std::uint64_t seed) {
        AttemptBarely(law, seed, attempts);
      });
      for (const std::string_view name : search::PolicyNames()) {
        const auto policy = Must(search::MakePolicy(name));
        const double rate = Rate(attempts, enough_s, [&](std::uint64_t seed) {
          sink = static_cast<double>(
              RunInMemory(*policy, law, seed, {Workforce::kTeam, attempts, {}})
                  .correct);
        });
        std::printf("%-16s  %-11s  %8lld  %12.0f  %9.2fx  %9.2fx\n",
                    std::string(name).c_str(), landscape,
                    static_cast<long long>(attempts), rate, rate / bare,
                    rate / kGoalPerSecond);
      }
    }
  }
}

constexpr std::array<std::int64_t, 3> kCheckpoints = {30, 100, 300};
constexpr std::array<const char*, 3> kCompared = {"best_of_k", "reflexion",
                                                  "stark"};

// How close to the fastest configuration the incumbent comes, 0 if none
// passes: the mean over campaigns, by checkpoint.
std::array<double, 3> ShareReached(const search::Policy& policy,
                                   const TaskLaw& law, double best,
                                   int campaigns) {
  std::array<double, 3> shares{};
  for (int seed = 1; seed <= campaigns; ++seed) {
    const search::InMemoryOutcome outcome =
        RunInMemory(policy, law, static_cast<std::uint64_t>(seed),
                    {Workforce::kTeam, kCheckpoints.back(), kCheckpoints});
    for (std::size_t c = 0; c < shares.size(); ++c) {
      if (!outcome.incumbents[c]) continue;
      shares[c] += std::exp(outcome.incumbents[c]->actual - best) / campaigns;
    }
  }
  return shares;
}

void PrintRecorded(const std::string& data_directory, int campaigns) {
  std::printf("%-20s  %-8s", "space", "mode");
  for (const char* policy : kCompared) std::printf("  %-17s", policy);
  std::printf("\n");
  const std::vector<std::string> names =
      engine::RecordedSpaceNames(data_directory);
  if (names.empty()) {
    std::fprintf(stderr, "landscape_benchmark: %s: holds no tuning_spaces/\n",
                 data_directory.c_str());
    std::exit(2);
  }
  for (const std::string& name : names) {
    const auto space = std::make_shared<const search::RecordedSpace>(
        Must(engine::FindRecordedSpace(data_directory, name)
                 .and_then(engine::ReadRecordedSpace)));
    for (std::size_t m = 0; m < search::kRecordedModeNames.size(); ++m) {
      const std::string mode(search::kRecordedModeNames[m]);
      const TaskLaw law(name + "/" + mode, space,
                        static_cast<search::RecordedMode>(m));
      std::printf("%-20s  %-8s", name.c_str(), mode.c_str());
      for (const char* policy : kCompared) {
        const auto shares = ShareReached(*Must(search::MakePolicy(policy)), law,
                                         space->best_log_speedup(), campaigns);
        std::printf("  %.3f %.3f %.3f", shares[0], shares[1], shares[2]);
      }
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "speed" && argc <= 3) {
    coppice::PrintSpeeds(argc > 2 ? std::atof(argv[2]) : 0.5);
    return 0;
  }
  if (what == "recorded" && (argc == 3 || argc == 4)) {
    coppice::PrintRecorded(argv[2], argc > 3 ? std::atoi(argv[3]) : 400);
    return 0;
  }
  std::fprintf(stderr,
               "usage: landscape_benchmark speed [SECONDS] |\n"
               "                           recorded DIRECTORY [CAMPAIGNS]\n");
  return 2;
}
