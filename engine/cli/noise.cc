// coppice task noise: which differences this machine can tell.
#include "engine/factory/noise.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "config/keys.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/root_candidate.h"
#include "engine/campaign/short_text.h"
#include "engine/cli/counted.h"
#include "engine/cli/evaluation_text.h"
#include "engine/cli/open_factory.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/kernel_file.h"
#include "engine/documents/or_null.h"
#include "engine/documents/row_sheet.h"
#include "engine/documents/table.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/interrupts.h"
#include "store/records/formatted.h"
#include "store/records/tier.h"

namespace coppice::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kSessions = 10;
constexpr const char* kTask = "gemm_square";  // Its root takes milliseconds.

std::string Percent(double share) {
  if (!std::isfinite(share)) return "-";
  return Formatted("%.1f %%", 100.0 * share);
}

double Farthest(const std::vector<Speedup>& speedups) {
  double farthest = 0.0;
  for (const Speedup& each : speedups) {
    farthest = std::max(farthest, std::abs(std::log(each.ratio)));
  }
  return std::expm1(farthest);
}

// "AMD EPYC, 2 threads", "NVIDIA H200, driver 580.65"
std::string Shown(const Environment& where) {
  if (!where.driver.empty()) return where.hardware + ", driver " + where.driver;
  return where.hardware + ", " + Counted(where.threads, "thread");
}

struct Measured {
  std::string task;
  bool is_root = true;  // Whose true speedup is 1, then.
  std::vector<engine::TierNoise> tiers;

  const Environment& where() const {
    return tiers.front().sessions.front().environment;
  }
};

// What its intervals claim, of kernels of which it is known.
void AddRow(const engine::TierNoise& noise, const std::string& over,
            const engine::Claims& claims, Table& table) {
  const auto of = [&](int count) {
    return std::to_string(count) + " of " + std::to_string(claims.pairs);
  };
  table.AddRow({std::string(TierName(noise.tier)), over, of(claims.held),
                of(claims.faster), of(claims.slower), of(claims.untold)});
}

Json ClaimsJson(const engine::Claims& claims) {
  return {{"pairs", claims.pairs},
          {"intervals_right", claims.held},
          {"faster", claims.faster},
          {"slower", claims.slower},
          {"no_interval", claims.untold}};
}

Json RoundsJson(const WorkloadResult& result) {
  return {{"samples_s", result.samples_s},
          {"root_samples_s", result.root_samples_s},
          {"control_samples_s", result.control_samples_s},
          {"session", ArrayOf(result.readings, &SampleReading::session)},
          {"discarded_samples", result.discarded_samples}};
}

Json SessionJson(const Evaluation& session, double seconds) {
  const auto& speedup = session.speedup;
  Json json = {{"verdict", Name(session.verdict)},
               {"session_s", seconds},
               {"speedup", OrNull(speedup, &Speedup::ratio)}};
  if (speedup && speedup->interval) {
    json["interval"] = {speedup->interval->low, speedup->interval->high};
  }
  if (!session.workloads.empty()) {
    json["workloads"] = ArrayOf(session.workloads, RoundsJson);
  }
  return json;
}

Json TierJson(const engine::TierNoise& noise, bool is_root) {
  Json tier = {{"tier", TierName(noise.tier)},
               {"session_s", Median(noise.seconds)},
               {"failed", noise.Failed()},
               {"resolves", engine::Resolution(noise.Speedups())},
               {"over_itself", ClaimsJson(engine::AgainstEachOther(noise))}};
  if (is_root) tier["over_root"] = ClaimsJson(engine::AgainstRoot(noise));
  for (std::size_t i = 0; i < noise.sessions.size(); ++i) {
    tier["sessions"].push_back(
        SessionJson(noise.sessions[i], noise.seconds[i]));
  }
  return tier;
}

RowSheet SheetOf(const Measured& measured) {
  RowSheet sheet{
      "tiers",
      {ForPeople("tier"), ForPeople(Right("a session")), ForPeople("sessions"),
       ForPeople("inconclusive"), ForPeople(Right("farthest off")),
       ForPeople(Right("resolves")), ForPrograms("")}};
  for (const engine::TierNoise& noise : measured.tiers) {
    const std::vector<Speedup> speedups = noise.Speedups();
    sheet.rows.push_back({TierName(noise.tier),
                          engine::DurationText(Median(noise.seconds)),
                          noise.sessions.size(), noise.Failed(),
                          measured.is_root ? Percent(Farthest(speedups)) : "-",
                          Percent(engine::Resolution(speedups)),
                          TierJson(noise, measured.is_root)});
  }
  return sheet;
}

void Print(const Measured& measured, Streams& streams) {
  const std::string what = measured.is_root ? "the root" : "the kernel";
  streams.out << Shown(measured.where()) << "; " << what << " of "
              << measured.task << " judged again and again\n\n";
  PrintTable(SheetOf(measured), streams);
  streams.out << "\n";
  Table claims({"tier", "over", Right("interval right"),
                Right("false \"faster\""), Right("false \"slower\""),
                Right("no interval")});
  for (const engine::TierNoise& noise : measured.tiers) {
    if (measured.is_root) {
      AddRow(noise, "the root", engine::AgainstRoot(noise), claims);
    }
    AddRow(noise, "itself", engine::AgainstEachOther(noise), claims);
  }
  claims.Print(streams);
  streams.out << "\n";
  for (const engine::TierNoise& noise : measured.tiers) {
    const double resolves = engine::Resolution(noise.Speedups());
    if (!std::isfinite(resolves)) continue;
    streams.out << "Two kernels must differ by " << Percent(resolves)
                << " for the " << TierName(noise.tier)
                << " tier to tell them apart 19 times in 20.\n";
  }
}

void PrintJson(const Measured& measured, Streams& streams) {
  const Environment& where = measured.where();
  PrintDocument({{"hardware", where.hardware},
                 {"driver", where.driver},
                 {"threads", where.threads},
                 {"task", measured.task},
                 {"tiers", RowsJson(SheetOf(measured))}},
                streams.out);
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
  TRY(factory, OpenFactory(invocation));
  engine::LeaveInterrupts();
  TRY(task, factory->FindTask(name));
  const auto listener = Listen(*factory, streams);
  TRY(evaluator, factory->EvaluatorFor(task));
  Measured measured{.task = name, .is_root = true, .tiers = {}};
  Candidate kernel = engine::RootCandidate(task);
  if (invocation.arguments.size() > 1) {
    TRY_ASSIGN(kernel, ReadKernel(invocation.arguments[1], task, streams.in));
    measured.is_root = false;
  }
  std::vector<Tier> chosen = {Tier::kFast, Tier::kFull};
  if (const auto only = invocation.Text("tier")) {
    std::erase_if(chosen, [&](Tier tier) { return TierName(tier) != *only; });
  }
  const std::int64_t all = sessions * static_cast<std::int64_t>(chosen.size());
  std::int64_t done = 0;
  TRY(tiers,
      engine::MeasureNoise(*evaluator, task, kernel, chosen,
                           static_cast<int>(sessions), factory->clock(), [&] {
                             ++done;
                             if (!streams.err_is_terminal) return;
                             streams.err << "\rsession " << done << " of "
                                         << all << std::flush;
                           }));
  if (streams.err_is_terminal) streams.err << "\r\033[K";
  measured.tiers = std::move(tiers);
  if (invocation.Has("json")) {
    PrintJson(measured, streams);
  } else {
    Print(measured, streams);
  }
  return Exit::kDone;
}

}  // namespace

Verb NoiseAction() {
  return {
      .name = "task noise",
      .summary = "measure this machine's noise: which differences it can tell",
      .arguments = "[TASK [FILE]]",
      .examples =
          "  coppice task noise\n"
          "  coppice task noise gemv --sessions 30 --threads 1 --json\n"
          "  coppice task noise gemv kernel.cc\n",
      .options = {{"sessions", Takes::kCount, "N", "of each tier (10)"},
                  {"tier", Takes::kText, "fast|full", "only that one"},
                  {"json", Takes::kNothing, "", "as JSON, with all rounds"}},
      .settings =
          config::NamesIn({config::Group::kThreads, config::Group::kTimeouts,
                           config::Group::kDevices, config::Group::kData,
                           config::Group::kCache}),
      .run = RunNoise,
  };
}

}  // namespace coppice::cli
