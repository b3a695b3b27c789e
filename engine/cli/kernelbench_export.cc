#include "engine/cli/kernelbench_export.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/cli/output.h"
#include "eval/formats/kernelbench_files.h"
#include "store/read/history.h"
#include "store/records/attempt.h"
#include "store/records/node.h"
#include "store/write/baselines.h"
#include "store/write/claims.h"
#include "store/write/nodes.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;

// A campaign's place in a run.
struct Place {
  std::string run;
  std::int64_t level = 0;
  std::int64_t problem = 0;
  std::string file;  // "19_ReLU.py".
};

// As in the views of metrics, what came from elsewhere is no merit of a policy.
Result<std::string> PolicyOf(store::Database& database,
                             const store::CampaignRow& campaign) {
  TRY(claims, store::ReadClaims(database, campaign.id));
  const auto judged = std::ranges::count_if(
      claims,
      [](const store::ClaimLine& claim) { return claim.node.has_value(); });
  const std::int64_t candidates = std::max<std::int64_t>(campaign.nodes - 1, 0);
  if (!claims.empty() && judged == candidates) {
    return std::string(kImportPolicy);
  }
  const store::CampaignSpec& spec = campaign.spec;
  const bool alone = SettingOf(spec, "agents") == "alone";
  return spec.policy + (alone ? ".alone" : "");
}

// None: it is on no problem of theirs.
Result<std::optional<Place>> PlaceOf(store::Database& database,
                                     const store::CampaignRow& campaign) {
  const store::CampaignSpec& spec = campaign.spec;
  const auto number = eval::ProblemNumber(spec.task_name);
  if (!number || spec.task_level == 0) return std::optional<Place>();
  TRY(policy, PolicyOf(database, campaign));
  return Place{policy + ".s" + std::to_string(spec.seed) + ".level" +
                   std::to_string(spec.task_level),
               spec.task_level, *number, eval::ProblemOf(spec.task_name)};
}

// The places by campaign; no two are the same problem of a run.
Result<std::vector<std::optional<Place>>> PlacesOf(
    store::Database& database,
    const std::vector<store::CampaignRow>& campaigns) {
  std::vector<std::optional<Place>> places;
  std::map<std::pair<std::string, std::int64_t>, std::string> taken;
  for (const store::CampaignRow& campaign : campaigns) {
    TRY(place, PlaceOf(database, campaign));
    places.push_back(place);
    if (!place) continue;
    const auto [other, is_new] = taken.emplace(
        std::pair(place->run, place->problem), campaign.spec.name);
    if (is_new) continue;
    return Fail(Errc::kUsage, other->second + " and " + campaign.spec.name +
                                  ": are both problem " +
                                  std::to_string(place->problem) + " of " +
                                  place->run + "; choose with --campaign");
  }
  return places;
}

Result<void> WriteText(const fs::path& path, const std::string& text) {
  TRY_DONE(MakeDirectory(path.parent_path()));
  return WriteFile(path, text);
}

Result<std::vector<NodeId>> Choose(store::Database& database,
                                   const store::CampaignRow& campaign,
                                   SampleChoice choice) {
  std::vector<NodeId> nodes;
  if (choice == SampleChoice::kAll) {
    for (std::int64_t i = 1; i < campaign.nodes; ++i)
      nodes.push_back(NodeId{i});
    return nodes;
  }
  TRY(leaders, store::ReadLeaders(database, campaign.id, 2));
  for (const store::Leader& leader : leaders) {
    if (leader.line.node != kRootNode) return std::vector{leader.line.node};
  }
  if (campaign.nodes > 1) nodes.push_back(NodeId{campaign.nodes - 1});
  return nodes;
}

class Writer {
 public:
  Writer(store::Database& database, SampleChoice choice, fs::path directory)
      : database_(database),
        choice_(choice),
        directory_(std::move(directory)) {}

  Result<void> Add(const store::CampaignRow& campaign,
                   const std::optional<Place>& place) {
    if (!place) {
      exported_.left_out.push_back(campaign.spec.name);
      return {};
    }
    if (campaign.nodes == 0) return AddSamples(campaign, *place);
    TRY(root, store::Nodes(database_).Load(campaign.id, kRootNode));
    if (root.worth.speedup) RootSeconds(*place, root.evaluation);
    TRY_DONE(AddSamples(campaign, *place));
    return AddBaselines(campaign, *place, root);
  }

  Result<Exported> Finish() {
    for (const auto& [run, results] : results_) {
      TRY_DONE(WriteText(directory_ / "runs" / run / "eval_results.json",
                         eval::EvalResultsText(results)));
    }
    for (const auto& [path, baselines] : baselines_) {
      TRY_DONE(
          WriteText(directory_ / path, eval::BaselineTimesText(baselines)));
    }
    exported_.runs = static_cast<std::int64_t>(results_.size());
    exported_.baselines = static_cast<std::int64_t>(baselines_.size());
    return exported_;
  }

 private:
  Result<void> AddSamples(const store::CampaignRow& campaign,
                          const Place& place) {
    std::vector<eval::KernelBenchResult>& results = results_[place.run];
    TRY(nodes, Choose(database_, campaign, choice_));
    for (const NodeId id : nodes) {
      const std::int64_t sample =
          choice_ == SampleChoice::kAll ? Index(id) - 1 : 0;
      TRY(node, store::Nodes(database_).Load(campaign.id, id));
      results.push_back(
          Restated(place, sample, node.evaluation, node.worth.speedup));
      if (!node.candidate) continue;
      TRY_DONE(
          WriteText(directory_ / "runs" / place.run /
                        eval::KernelFileName(place.level, place.problem, sample,
                                             node.candidate->language),
                    node.candidate->source));
      ++exported_.kernels;
    }
    return {};
  }

  Result<void> AddBaselines(const store::CampaignRow& campaign,
                            const Place& place, const NodeRecord& root) {
    TRY(baselines, store::ReadBaselines(database_, campaign.id));
    for (const store::Baseline& baseline : baselines) {
      if (baseline.quoted) continue;
      TRY(evaluation,
          store::ReadBaselineEvaluation(database_, campaign.id, baseline.name));
      AddTimes(place, baseline.name, *evaluation, baseline.speedup);
    }
    const bool is_torch = root.candidate->language == Language::kPython;
    AddTimes(place, is_torch ? "torch" : "root", root.evaluation,
             root.worth.speedup);
    return {};
  }

  // A call of the root on that hardware takes so long: the same in all files of
  // a problem, as the first evaluation that passed measured it.
  double RootSeconds(const Place& place, const Evaluation& passed) {
    const WorkloadResult& first = passed.workloads[0];
    return root_s_
        .try_emplace(
            {place.level, place.problem, passed.environment.hardware},
            passed.workloads.size() == 1 && !first.root_samples_s.empty()
                ? Mean(first.root_samples_s)
                : *passed.root_runtime_s)
        .first->second;
  }

  eval::KernelBenchResult Restated(const Place& place, std::int64_t sample,
                                   const Evaluation& evaluation,
                                   const std::optional<Speedup>& speedup) {
    auto result = eval::ToKernelBench(place.problem, sample, evaluation);
    if (speedup) {
      eval::Restate(RootSeconds(place, evaluation), speedup->ratio, result);
    }
    return result;
  }

  // If several campaigns are on a problem, the first with times counts.  Within
  // one campaign it is what was measured as "torch" rather than the root, which
  // is the same.
  void AddTimes(const Place& place, const std::string& name,
                const Evaluation& evaluation,
                const std::optional<Speedup>& speedup) {
    std::string hardware = evaluation.environment.hardware;
    std::ranges::replace(hardware, '/', '_');
    std::ranges::replace(hardware, ' ', '_');
    auto& baselines = baselines_[fs::path("results") / "timing" / hardware /
                                 ("baseline_time_" + name + ".json")];
    const auto is_same = [&](const eval::KernelBenchBaseline& other) {
      return other.level == place.level && other.problem == place.file;
    };
    auto found = std::ranges::find_if(baselines, is_same);
    if (found == baselines.end()) {
      baselines.push_back({place.level, place.file, std::nullopt});
      found = std::prev(baselines.end());
    }
    if (found->times) return;
    found->times = Restated(place, 0, evaluation, speedup).times;
  }

  store::Database& database_;
  const SampleChoice choice_;
  const fs::path directory_;
  // Seconds by level, problem and hardware.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, double> root_s_;
  std::map<std::string, std::vector<eval::KernelBenchResult>> results_;
  std::map<fs::path, std::vector<eval::KernelBenchBaseline>> baselines_;
  Exported exported_;
};

}  // namespace

Result<Exported> ExportKernelBench(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    SampleChoice choice, const fs::path& directory) {
  TRY(places, PlacesOf(database, campaigns));
  Writer writer(database, choice, directory);
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    TRY_DONE(writer.Add(campaigns[i], places[i]));
  }
  return writer.Finish();
}

}  // namespace coppice::cli
