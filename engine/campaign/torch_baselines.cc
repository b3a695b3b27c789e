#include "engine/campaign/torch_baselines.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "engine/campaign/expert_baseline.h"
#include "engine/process/clock.h"
#include "eval/judge/evaluator.h"
#include "eval/judge/same_task.h"
#include "store/database.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/nearest_name.h"
#include "store/records/tier.h"
#include "store/write/baselines.h"

namespace coppice::engine {
namespace {

struct TorchRow {
  TorchBaseline baseline;
  std::string_view name;
  std::string_view stored;
  std::string_view mode;  // Of torch.compile.
};

constexpr std::array kTorchRows = {
    TorchRow{TorchBaseline::kEager, "eager", "torch", ""},
    TorchRow{TorchBaseline::kCompile, "compile",
             "torch_compile_inductor_default", "default"},
    TorchRow{TorchBaseline::kMaxAutotune, "max-autotune",
             "torch_compile_inductor_max-autotune", "max-autotune"},
};

const TorchRow& TorchRowOf(TorchBaseline baseline) {
  return *std::ranges::find(kTorchRows, baseline, &TorchRow::baseline);
}

// A class beside the task's own, whose name its source may use (in super()).
// The words torch.compile are what has it compiled before it is judged.
constexpr const char* kCompiledModel = "CompiledModel";

std::string CompiledModel(const Solution& root, std::string_view mode) {
  return eval::SourceOf(root) + "\n\nclass " + kCompiledModel + "(" +
         root.entry_symbol +
         "):\n"
         "    def __init__(self, *arguments, **keywords):\n"
         "        super().__init__(*arguments, **keywords)\n"
         "        # As torch.compile(model) does, under the model's own "
         "names.\n"
         "        self.compile(mode=\"" +
         std::string(mode) + "\")\n";
}

std::string CompiledFunction(const Solution& root, std::string_view mode) {
  return eval::SourceOf(root) + "\n\nimport torch as _torch\n\n" +
         root.entry_symbol + " = _torch.compile(" + root.entry_symbol +
         ", mode=\"" + std::string(mode) + "\")\n";
}

}  // namespace

std::string_view NameOf(TorchBaseline baseline) {
  return TorchRowOf(baseline).name;
}

std::vector<std::string> TorchBaselineNames() {
  std::vector<std::string> names;
  for (const TorchRow& row : kTorchRows) names.emplace_back(row.name);
  return names;
}

std::string StoredName(TorchBaseline baseline) {
  return std::string(TorchRowOf(baseline).stored);
}

std::optional<TorchBaseline> StoredAs(const std::string& stored) {
  const auto row = std::ranges::find(kTorchRows, stored, &TorchRow::stored);
  return row == kTorchRows.end() ? std::nullopt : std::optional(row->baseline);
}

Result<TorchBaseline> ParseTorchBaseline(const std::string& name) {
  for (const TorchRow& row : kTorchRows) {
    if (row.name == name) return row.baseline;
  }
  const auto nearest = NearestName(name, TorchBaselineNames());
  return Fail(Errc::kUsage,
              name + ": no such baseline; " +
                  (nearest ? "did you mean " + *nearest + "?"
                           : "there are eager, compile and max-autotune"));
}

Result<std::vector<TorchBaseline>> ParseTorchBaselines(
    const std::string& list) {
  std::set<TorchBaseline> chosen;
  if (list == "all") {
    for (const TorchRow& row : kTorchRows) chosen.insert(row.baseline);
  } else if (list != "none") {
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      const auto baseline = ParseTorchBaseline(word);
      if (!baseline) {
        return Fail(Errc::kUsage, "--baselines " + baseline.error().what);
      }
      chosen.insert(*baseline);
    }
  }
  return std::vector(chosen.begin(), chosen.end());
}

Result<Candidate> CandidateOf(TorchBaseline baseline, const Task& task) {
  const Solution& root = task.root;
  if (task.format == TaskFormat::kNative ||
      root.language != Language::kPython) {
    return Fail(Errc::kUsage, task.definition.name +
                                  ": is no task in PyTorch, which baselines "
                                  "of torch are of");
  }
  const TorchRow& row = TorchRowOf(baseline);
  Candidate candidate{root.language, eval::SourceOf(root), root.entry_symbol};
  if (baseline == TorchBaseline::kEager) return candidate;
  if (task.format != TaskFormat::kKernelBench) {
    candidate.source = CompiledFunction(root, row.mode);
    return candidate;
  }
  candidate.source = CompiledModel(root, row.mode);
  candidate.entry_symbol = kCompiledModel;
  return candidate;
}

Result<void> MeasureTorchBaselines(eval::Evaluator& evaluator, const Task& task,
                                   const std::vector<TorchBaseline>& baselines,
                                   store::Database& database,
                                   CampaignId campaign, const Clock& clock,
                                   const std::atomic<bool>& drain,
                                   const HeardOfBaseline& heard) {
  if (baselines.empty()) return {};
  const Task trusting = Trusting(task);
  TRY(here, evaluator.Where());
  for (const TorchBaseline baseline : baselines) {
    if (drain.load()) break;
    TRY(candidate, CandidateOf(baseline, task));
    const std::string name = StoredName(baseline);
    if (here) {
      TRY(known, store::AdoptBaselineEvaluation(database, campaign, name, *here,
                                                clock.UnixSeconds()));
      if (known) continue;
    }
    const auto judged = evaluator.Evaluate(trusting, candidate, Tier::kFull);
    if (judged) {
      TRY_DONE(store::AddBaselineEvaluation(database, campaign, name, *judged,
                                            clock.UnixSeconds()));
    }
    heard(baseline, judged);
  }
  return {};
}

}  // namespace coppice::engine
