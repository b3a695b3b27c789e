// coppice task noise: which differences this machine can tell.
#include "engine/noise.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/cli/campaigning.h"
#include "engine/cli/document.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"
#include "engine/interrupts.h"

namespace coppice::cli {
namespace {

constexpr std::int64_t kSessions = 10;
constexpr const char* kTask = "gemm_square";  // Its root takes milliseconds.

std::string Percent(double share) {
  if (!std::isfinite(share)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * share);
  return text;
}

std::string NameOf(Tier tier) { return tier == Tier::kFast ? "fast" : "full"; }

double Farthest(const engine::TierNoise& noise) {
  double farthest = 0.0;
  for (const double speedup : noise.speedups) {
    farthest = std::max(farthest, std::abs(std::log(speedup)));
  }
  return std::expm1(farthest);
}

// "AMD EPYC, 2 threads", "NVIDIA H200, driver 580.65"
std::string Shown(const Environment& where) {
  if (!where.driver.empty()) return where.hardware + ", driver " + where.driver;
  return where.hardware + ", " + std::to_string(where.threads) +
         (where.threads == 1 ? " thread" : " threads");
}

void Print(const std::vector<engine::TierNoise>& all, const std::string& task,
           Streams& streams) {
  streams.out << Shown(all.front().where) << "; the root of " << task
              << " against itself\n\n";
  Table table({{"tier"},
               {"a session", Align::kRight},
               {"sessions", Align::kRight},
               {"farthest off", Align::kRight},
               {"interval right", Align::kRight},
               {"resolves", Align::kRight}});
  for (const engine::TierNoise& noise : all) {
    const std::string passed = std::to_string(noise.speedups.size());
    table.AddRow({NameOf(noise.tier), engine::DurationText(noise.seconds),
                  passed, Percent(Farthest(noise)),
                  std::to_string(noise.covered) + " of " + passed,
                  Percent(engine::Resolution(noise))});
  }
  table.Print(streams);
  streams.out << "\n";
  for (const engine::TierNoise& noise : all) {
    if (noise.failed > 0) {
      streams.out << "In the " << NameOf(noise.tier) << " tier " << noise.failed
                  << " of "
                  << noise.speedups.size() +
                         static_cast<std::size_t>(noise.failed)
                  << " sessions did not pass: something else uses this "
                     "machine.\n";
    }
    if (noise.speedups.empty()) continue;
    streams.out << "Two kernels must differ by "
                << Percent(engine::Resolution(noise)) << " for the "
                << NameOf(noise.tier)
                << " tier to tell them apart 19 times in 20.\n";
  }
}

void PrintJson(const std::vector<engine::TierNoise>& all,
               const std::string& task, Streams& streams) {
  nlohmann::ordered_json tiers = nlohmann::ordered_json::array();
  for (const engine::TierNoise& noise : all) {
    nlohmann::ordered_json tier = {
        {"tier", NameOf(noise.tier)},       {"session_s", noise.seconds},
        {"speedups", noise.speedups},       {"failed", noise.failed},
        {"intervals_right", noise.covered}, {"resolves", nullptr}};
    const double resolves = engine::Resolution(noise);
    if (std::isfinite(resolves)) tier["resolves"] = resolves;
    tiers.push_back(std::move(tier));
  }
  const Environment& where = all.front().where;
  const nlohmann::ordered_json document = {{"hardware", where.hardware},
                                           {"driver", where.driver},
                                           {"threads", where.threads},
                                           {"task", task},
                                           {"tiers", tiers}};
  PrintDocument(document, streams.out);
}

Result<Exit> RunNoise(const Invocation& invocation, Streams& streams) {
  const std::int64_t sessions =
      invocation.Count("sessions").value_or(kSessions);
  if (sessions < 3 || sessions > 1000) {
    return Fail(Errc::kUsage, "--sessions: expected 3 to 1000, not " +
                                  std::to_string(sessions));
  }
  const std::string name =
      invocation.arguments.empty() ? kTask : invocation.arguments.front();
  TRY(workshop, OpenWorkshop(invocation));
  engine::LeaveInterrupts();
  TRY(task, workshop->FindTask(name));
  TRY(evaluator, workshop->EvaluatorFor(task));
  std::int64_t done = 0;
  TRY(noise, engine::MeasureNoise(*evaluator, task, static_cast<int>(sessions),
                                  workshop->clock(), [&] {
                                    ++done;
                                    if (!streams.err_is_terminal) return;
                                    streams.err << "\rsession " << done
                                                << " of " << 2 * sessions
                                                << std::flush;
                                  }));
  if (streams.err_is_terminal) streams.err << "\r\033[K";
  if (invocation.Has("json")) {
    PrintJson(noise, name, streams);
  } else {
    Print(noise, name, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb NoiseAction() {
  return {
      .name = "task noise",
      .summary = "measure this machine's noise: which differences it can tell",
      .arguments = "[TASK]",
      .examples =
          "  coppice task noise\n"
          "  coppice task noise gemv --sessions 30 --threads 1 --json\n",
      .options = {{"sessions", Takes::kCount, "N", "of each tier (10)"},
                  {"json", Takes::kNothing, "", "as JSON, with all speedups"}},
      .settings =
          config::NamesIn({config::Group::kThreads, config::Group::kTimeouts,
                           config::Group::kData, config::Group::kCache}),
      .run = RunNoise,
  };
}

}  // namespace coppice::cli
