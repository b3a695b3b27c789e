#include "engine/factory/simulation.h"

#include <optional>
#include <string_view>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "search/landscape.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kPrefix = "sim:";

Result<search::Landscape> LandscapeOf(const Task& task) {
  return search::MakeLandscape(task.definition.name.substr(kPrefix.size()));
}

RandomStream DrawsOf(const agents::PromptContext& context, Purpose purpose) {
  return RandomStream(context.seed, purpose,
                      static_cast<std::uint64_t>(context.decision));
}

// An answer without a kernel is an answer too.
std::string Written(const std::optional<std::string>& source) {
  return source ? InFences(*source) : "I see no way to write this.\n";
}

class SimulatedModel final : public agents::Model {
 public:
  explicit SimulatedModel(search::Landscape landscape)
      : landscape_(landscape) {}

  std::string_view Provider() const override { return "simulation"; }
  std::string_view ModelName() const override { return "landscape"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    TRY(text, Answer(*request.context));
    return agents::ModelAnswer{std::move(text), {}, 0.0};
  }

 private:
  Result<std::string> Answer(const agents::PromptContext& context) const {
    const std::string& source = context.selected.source;
    switch (context.role) {
      case Role::kPlan: {
        RandomStream draws = DrawsOf(context, Purpose::kPlanAgent);
        TRY(proposal, Propose(context, draws));
        return proposal.advice + "\nTechnique: " + proposal.technique + "\n" +
               InFences(proposal.annotated_source);
      }
      case Role::kCode: {
        if (!context.plan) return AnswerAlone(context);
        RandomStream draws = DrawsOf(context, Purpose::kCodeAgent);
        return Written(landscape_.Realise(source, context.plan->advice, draws));
      }
      case Role::kDebug: {
        RandomStream draws = DrawsOf(context, Purpose::kDebugAgent);
        return Written(landscape_.Repair(source, draws));
      }
    }
    return Fail(Errc::kCorrupt, "simulation: unknown role");
  }

  Result<search::Proposal> Propose(const agents::PromptContext& context,
                                   RandomStream& draws) const {
    const agents::Sighting* mate = agents::MateOf(context);
    return mate == nullptr
               ? landscape_.ProposePlan(context.selected.source, draws)
               : landscape_.ProposeCross(context.selected.source, mate->source,
                                         draws);
  }

  // Plans and codes in one, or repairs.
  Result<std::string> AnswerAlone(const agents::PromptContext& context) const {
    const std::string& source = context.selected.source;
    RandomStream draws = DrawsOf(context, Purpose::kCodeAgent);
    if (context.selected.verdict != Verdict::kPassed) {
      return Written(landscape_.Repair(source, draws));
    }
    RandomStream ideas = DrawsOf(context, Purpose::kPlanAgent);
    TRY(proposal, Propose(context, ideas));
    return Written(landscape_.Realise(source, proposal.advice, draws));
  }

  const search::Landscape landscape_;
};

class SimulatedEvaluator final : public eval::Evaluator {
 public:
  explicit SimulatedEvaluator(search::Landscape landscape)
      : landscape_(landscape) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    const auto noise =
        tier == Tier::kFull ? search::Noise::kNone : search::Noise::kMeasured;
    search::LandscapeOutcome judgement =
        landscape_.Judge(candidate.source, noise);
    Evaluation evaluation;
    evaluation.verdict = judgement.verdict;
    evaluation.tier = tier;
    evaluation.log = std::move(judgement.log);
    evaluation.environment.hardware = "simulated";
    // That of the task, in whose place another kernel may have been put.
    const search::LandscapeOutcome root =
        landscape_.Judge(task.root.sources.at(0).content, noise);
    if (!root.runtime_s) return Fail(Errc::kUsage, "the root: " + root.log);
    if (judgement.runtime_s) {
      WorkloadResult& result = evaluation.workloads.emplace_back();
      result.workload = "simulated";
      result.verdict = judgement.verdict;
      result.samples_s = {*judgement.runtime_s};
      result.root_samples_s = {*root.runtime_s};
      Summarise(evaluation);
      // Each of the two times is off by that at most.
      const double most =
          2.0 * (tier == Tier::kFull ? 0.0 : search::kRuntimeNoise);
      const double ratio = evaluation.speedup->ratio;
      evaluation.speedup->interval =
          Interval{ratio * (1.0 - most), ratio * (1.0 + most)};
    }
    return evaluation;
  }

 private:
  const search::Landscape landscape_;
};

}  // namespace

Task TaskOfPoint(const std::string& name, std::string root_source) {
  Task task;
  task.definition.name = name;
  task.definition.op_type = "sim";
  task.root.name = name + "__root";
  task.root.definition = name;
  task.root.author = "baseline";
  task.root.language = Language::kSim;
  task.root.entry_file = "point.txt";
  task.root.entry_symbol = "point";
  task.root.sources = {{task.root.entry_file, std::move(root_source)}};
  return task;
}

std::string InFences(std::string_view source) {
  return "```\n" + std::string(source) + "```\n";
}

Result<Task> SimulatedTask(const std::string& name) {
  TRY(landscape, search::MakeLandscape(name));
  return TaskOfPoint(std::string(kPrefix) + name, landscape.RootSource());
}

Result<std::unique_ptr<agents::Model>> MakeSimulatedModel(const Task& task) {
  TRY(landscape, LandscapeOf(task));
  return std::make_unique<SimulatedModel>(landscape);
}

Result<std::unique_ptr<eval::Evaluator>> MakeSimulatedEvaluator(
    const Task& task) {
  TRY(landscape, LandscapeOf(task));
  return std::make_unique<SimulatedEvaluator>(landscape);
}

}  // namespace coppice::engine
