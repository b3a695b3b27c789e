// coppice task fit: a landscape that behaves as live campaigns did, and how far
// it does.
#include "search/landscapes/fit.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>
#include <utility>

#include "engine/cli/output.h"
#include "engine/cli/verbs.h"
#include "engine/documents/table.h"
#include "engine/factory/landscape_tasks.h"
#include "search/landscapes/predictive_check.h"
#include "search/landscapes/quantile.h"
#include "store/database.h"
#include "store/read/history.h"
#include "store/read/snapshot.h"
#include "store/records/formatted.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

using search::RecordedCampaign;

constexpr int kReplicates = 200;
constexpr double kStandardDeviations = 1.96;  // Half an interval of 95 %.

std::string Number(double number, const char* format = "%.3f") {
  return Formatted(format, number);
}

std::string Percent(std::int64_t part, std::int64_t all) {
  if (all == 0) return "-";
  return Number(100.0 * static_cast<double>(part) / static_cast<double>(all),
                "%.1f %%");
}

// Campaigns of databases, and the policies that they point to.
struct Recorded {
  std::map<std::string, std::unique_ptr<search::Policy>> policies;
  std::vector<RecordedCampaign> campaigns;
};

// Why no policy's simulation can stand beside it; empty: one can.
Result<std::string> WhyUnlike(store::Database& database,
                              const store::CampaignRow& row) {
  const std::string policy = store::PolicyOf(row.spec);
  if (engine::LandscapeTasks::IsOne(row.spec.task_name)) {
    return std::string("its task is simulated");
  }
  if (row.nodes < 2) return std::string("it has no attempt yet");
  TRY(annals, store::ReadAnnals(database, row.id));
  if (annals.decisions.empty()) return std::string("it has no attempt yet");
  const std::string& first = annals.decisions.front().policy;
  for (const store::DecisionRecord& decision : annals.decisions) {
    if (decision.policy != first) {
      return std::string(
          "more than one policy chose in it, or kernels came "
          "from elsewhere");
    }
  }
  return std::string();
}

Result<RecordedCampaign> ReadCampaign(store::Database& database,
                                      const store::CampaignRow& row,
                                      const search::Policy& policy) {
  RecordedCampaign campaign;
  campaign.policy = &policy;
  campaign.workforce = SettingOf(row.spec, "agents") == "alone"
                           ? search::Workforce::kAlone
                           : search::Workforce::kTeam;
  const std::string window = SettingOf(row.spec, "window_history");
  campaign.window =
      window.empty() ? search::kPaperWindow : std::atoll(window.c_str());
  TRY(lines, store::ReadTree(database, row.id));
  for (const store::NodeLine& line : lines) {
    search::RecordedNode node;
    if (line.parent)
      node.parent = static_cast<std::size_t>(Index(*line.parent));
    node.verdict = line.verdict;
    if (line.speedup) {
      node.log_speedup = std::log(line.speedup->ratio);
      if (line.speedup->interval && line.parent) {
        node.noise = HalfWidth(*line.speedup->interval) / kStandardDeviations;
      }
    }
    campaign.nodes.push_back(node);
  }
  return campaign;
}

Result<void> ReadInto(const std::string& path, Streams& streams,
                      Recorded& recorded) {
  TRY(database, store::Database::Open(path, store::Access::kReadOnly));
  TRY(rows, store::Campaigns(database).List());
  for (const store::CampaignRow& row : rows) {
    TRY(reason, WhyUnlike(database, row));
    if (!reason.empty()) {
      streams.err << Printable(path + ": " + row.spec.name +
                               ": left out: " + reason)
                  << "\n";
      continue;
    }
    const std::string name = store::PolicyOf(row.spec);
    auto& policy = recorded.policies[name];
    if (policy == nullptr) {
      TRY_ASSIGN(policy, search::MakeStoredPolicy(name));
    }
    TRY(campaign, ReadCampaign(database, row, *policy));
    recorded.campaigns.push_back(std::move(campaign));
  }
  return {};
}

void AddRate(const char* name, const search::Rate& rate, Table& table) {
  table.AddRow({name, std::to_string(rate.attempts),
                Percent(rate.compiled, rate.attempts),
                Percent(rate.passed, rate.attempts)});
}

void PrintRates(const search::Estimates& seen, Streams& streams) {
  Table rates(
      {"attempts on", Right("number"), Right("compiled"), Right("passed")});
  AddRate("the root (first hops)", seen.first_hops, rates);
  AddRate("what passed (edits)", seen.edits, rates);
  AddRate("what failed (repairs)", seen.repairs, rates);
  rates.Print(streams);
  streams.out << "\nverdicts:";
  for (std::size_t i = 0; i < seen.verdicts.size(); ++i) {
    if (seen.verdicts.at(i) == 0) continue;
    streams.out << " " << seen.verdicts.at(i) << " "
                << Name(static_cast<Verdict>(i));
  }
  streams.out << "\nmeasurement noise of a log speedup: " << Number(seen.noise)
              << "\n\n";
}

void AddQuantiles(const char* name, const std::vector<double>& values,
                  Table& table) {
  std::vector<std::string> row = {name, std::to_string(values.size())};
  for (const double share : {0.025, 0.25, 0.5, 0.75, 0.975}) {
    row.push_back(values.empty() ? "-"
                                 : Number(search::Quantile(values, share)));
  }
  table.AddRow(std::move(row));
}

void PrintGains(const search::Estimates& seen, Streams& streams) {
  Table gains({"log gain of", Right("number"), Right("2.5 %"), Right("25 %"),
               Right("median"), Right("75 %"), Right("97.5 %")});
  AddQuantiles("first hops over the root", seen.first_hop, gains);
  AddQuantiles("edits over their parents", seen.gains, gains);
  gains.Print(streams);
  streams.out << "\n";
  Table inheritance({"depth of the parent", Right("edits"),
                     Right("slope of child over parent")});
  for (const search::Inheritance& one : seen.inheritance) {
    const bool is_last = &one == &seen.inheritance.back();
    inheritance.AddRow({std::to_string(one.depth) + (is_last ? " or more" : ""),
                        std::to_string(one.edits),
                        one.slope ? Number(*one.slope, "%.2f") : "-"});
  }
  inheritance.Print(streams);
  streams.out << "\n";
  Table returns({"parent below the best by", Right("edits"), Right("improving"),
                 Right("median log gain")});
  for (const search::Returns& one : seen.returns) {
    returns.AddRow({Number(one.nearest) + " to " + Number(one.farthest),
                    std::to_string(one.edits),
                    Number(100.0 * one.improving, "%.1f %%"),
                    Number(one.gain)});
  }
  returns.Print(streams);
  streams.out << "\n";
}

struct TriedLaw {
  search::FittedLaw law;
  std::vector<search::Check> checks;
  search::Misfit misfit;
};

Result<TriedLaw> Try(search::Family family,
                     const std::vector<RecordedCampaign>& campaigns) {
  TRY(law, search::Fit(family, campaigns));
  const search::TaskLaw tasks(engine::FittedName(Render(law)), law);
  std::vector<search::Check> checks =
      search::CheckPredictions(campaigns, tasks, kReplicates);
  const search::Misfit misfit = search::MisfitOf(checks);
  return TriedLaw{law, std::move(checks), misfit};
}

std::string Described(const TriedLaw& one) {
  return std::string(search::Name(one.law.family)) + " (" +
         std::to_string(one.misfit.outside) + " of " +
         std::to_string(one.checks.size()) + " checks outside, mean distance " +
         Number(one.misfit.distance, "%.2f") + " sd)";
}

void PrintChecks(const TriedLaw& chosen, std::size_t campaigns,
                 Streams& streams) {
  streams.out << "predictive checks: " << kReplicates << " times " << campaigns
              << " campaigns of the same policies and attempts\n\n";
  Table table({"statistic", Right("data"), Right("simulated"),
               Right("95 % scatter"), ""});
  for (const search::Check& check : chosen.checks) {
    table.AddRow({std::string(check.statistic.name) +
                      (check.statistic.IsFitted(chosen.law.family) ? " *" : ""),
                  check.data ? Number(*check.data) : "-", Number(check.mean),
                  Number(check.low) + " to " + Number(check.high),
                  check.IsOutside() ? "!" : ""});
  }
  table.Print(streams);
  streams.out << "! outside the scatter; * the fit set a parameter by it\n";
}

Result<void> Write(const std::string& path, const search::FittedLaw& law,
                   const std::vector<std::string>& databases) {
  std::string text =
      "# A landscape, see docs/landscapes.md.  Fitted by `coppice task fit` "
      "to:\n";
  for (const std::string& database : databases) {
    text += "#   " + OneLine(database) + "\n";
  }
  text += Render(law);
  return WriteFile(path, text);
}

Result<Exit> FitLandscape(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path) return Fail(Errc::kUsage, "say where with --output FILE");
  Recorded recorded;
  for (const std::string& database : invocation.arguments) {
    TRY_DONE(ReadInto(database, streams, recorded));
  }
  const std::vector<RecordedCampaign>& campaigns = recorded.campaigns;
  TRY(weak, Try(search::Family::kWeak, campaigns));
  TRY(hill, Try(search::Family::kHill, campaigns));
  const bool is_weak = !(hill.misfit < weak.misfit);
  const TriedLaw& chosen = is_weak ? weak : hill;
  TRY_DONE(Write(*path, chosen.law, invocation.arguments));
  const search::Estimates seen = search::EstimatesOf(campaigns);
  streams.out << "live campaigns: " << campaigns.size() << "\n\n";
  PrintRates(seen, streams);
  PrintGains(seen, streams);
  streams.out << "terrain " << Described(chosen) << ", rather than "
              << Described(is_weak ? hill : weak) << "\n\n";
  PrintChecks(chosen, campaigns.size(), streams);
  streams.out << "\n"
              << Printable(*path) << ": "
              << engine::FittedName(Render(chosen.law)) << "\n";
  return Exit::kDone;
}

}  // namespace

Verb FitAction() {
  return {
      .name = "task fit",
      .summary =
          "a landscape that behaves as recorded live campaigns did, and "
          "how far it does",
      .arguments = "DB...",
      .examples =
          "  coppice task fit coppice.db --output live.txt\n"
          "  coppice compare --in-memory --tasks fitted:live.txt\n",
      .options = {{"output", Takes::kText, "FILE",
                   "its parameters, as text; needed"}},
      .run = FitLandscape,
  };
}

}  // namespace coppice::cli
