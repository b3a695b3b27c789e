#include "engine/factory/point_campaign.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "engine/factory/simulation.h"
#include "search/landscapes/point_text.h"
#include "store/records/candidate.h"
#include "store/records/evaluation.h"
#include "store/records/plan.h"
#include "store/records/tier.h"

namespace coppice::engine {
namespace {

// All but the lines that every point of a landscape begins with.
std::string AnchoredBelowHead(const std::string& source) {
  constexpr std::string_view kLastOfHead = "root_runtime_s";
  const std::size_t head = source.find('\n', source.find(kLastOfHead)) + 1;
  return source.substr(0, head) + "# <<<IMPROVE BEGIN>>>\n" +
         source.substr(head) + "# <<<IMPROVE END>>>\n";
}

search::Workforce WorkforceOf(const agents::PromptContext& context) {
  const bool is_alone = context.role == Role::kCode && !context.plan;
  return is_alone ? search::Workforce::kAlone : search::Workforce::kTeam;
}

class PointModel final : public agents::Model {
 public:
  explicit PointModel(search::TaskLaw law) : law_(std::move(law)) {}

  std::string_view Provider() const override { return "simulation"; }
  std::string_view ModelName() const override { return "landscape"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    const agents::PromptContext& context = *request.context;
    TRY(parent, search::ParsePoint(context.selected.source));
    if (context.role == Role::kPlan) {
      return agents::ModelAnswer{Plan(context, parent), {}, 0.0};
    }
    std::optional<search::Point> mate;
    if (const agents::Sighting* seen = agents::MateOf(context)) {
      TRY(text, search::ParsePoint(seen->source));
      mate = text.point;
    }
    return agents::ModelAnswer{
        Write(context, std::move(parent), mate), {}, 0.0};
  }

 private:
  // What the plan is worth shows when it is written.
  static std::string Plan(const agents::PromptContext& context,
                          const search::PointText& parent) {
    const bool is_root = parent.point.depth == 0;
    const char* const what = context.mate ? "combine it with another"
                             : is_root    ? "rewrite the root"
                                          : "change this point";
    const char* const technique = context.mate ? "cross"
                                  : is_root    ? "rewrite"
                                               : "edit";
    return std::string(what) + ", for the " +
           std::to_string(context.census.earlier_attempts + 1) +
           ". time\nTechnique: " + technique + "\n" +
           InFences(AnchoredBelowHead(context.selected.source));
  }

  std::string Write(const agents::PromptContext& context,
                    search::PointText text,
                    const std::optional<search::Point>& mate) const {
    const search::Simulation task = law_.TaskOf(context.seed);
    const search::Point parent =
        text.point.depth == 0 ? task.Root() : text.point;
    const agents::Census& census = context.census;
    text.point =
        task.Attempt(parent, census.earlier_attempts, WorkforceOf(context),
                     {census.passing_children, census.passing_siblings,
                      census.passing_nephews},
                     mate ? &*mate : nullptr);
    return InFences(Render(text));
  }

  const search::TaskLaw law_;
};

std::string LogOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kCompileFailed:
      return "does not compile";
    case Verdict::kWrongOutput:
      return "output differs from the reference";
    case Verdict::kCrashed:
      return "fails at run time";
    case Verdict::kTimedOut:
      return "still running at the time limit";
    default:
      return std::string(Name(verdict));
  }
}

// The noise of a landscape is known; its full tier has none.
void SetInterval(Tier tier, double noise, Speedup& speedup) {
  const double factor = tier == Tier::kFull ? 1.0 : std::exp(1.96 * noise);
  speedup.interval = Interval{speedup.ratio / factor, speedup.ratio * factor};
}

// A landscape draws a hint at once, and exactly.
Hint HintOfPoint(double log_factor) {
  const double factor = std::exp(log_factor);
  return {.factor = factor, .low = factor, .high = factor, .samples = 1};
}

class PointEvaluator final : public eval::Evaluator {
 public:
  PointEvaluator(search::PointText root, double noise)
      : root_(std::move(root)), noise_(noise) {}

  Result<Evaluation> Evaluate(const Task& task, const Candidate& candidate,
                              Tier tier) override {
    Evaluation evaluation;
    evaluation.tier = tier;
    evaluation.environment.hardware = "simulated";
    const auto text = search::ParsePoint(candidate.source);
    if (!text) {
      evaluation.verdict = Verdict::kCompileFailed;
      evaluation.log = text.error().what;
      return evaluation;
    }
    if (text->landscape != root_.landscape) {
      evaluation.verdict = Verdict::kRejected;
      evaluation.log = text->landscape + ": another landscape than the task's";
      return evaluation;
    }
    evaluation.verdict = text->point.verdict;
    if (evaluation.verdict != Verdict::kPassed) {
      evaluation.log = LogOf(evaluation.verdict);
      if (tier == Tier::kFast && text->point.hint &&
          evaluation.verdict == Verdict::kWrongOutput) {
        evaluation.hint = HintOfPoint(*text->point.hint);
      }
      return evaluation;
    }
    WorkloadResult& result = evaluation.workloads.emplace_back();
    result.workload = "simulated";
    result.verdict = evaluation.verdict;
    result.samples_s = {SecondsOf(text->point, tier)};
    // That of the task, in whose place another kernel may have been put.
    TRY(root, search::ParsePoint(task.root.sources.at(0).content));
    if (root.point.verdict != Verdict::kPassed) {
      return Fail(Errc::kUsage, "the root: " + LogOf(root.point.verdict));
    }
    result.root_samples_s = {SecondsOf(root.point, tier)};
    Summarise(evaluation);
    SetInterval(tier, noise_, *evaluation.speedup);
    return evaluation;
  }

 private:
  double SecondsOf(search::Point point, Tier tier) const {
    if (tier == Tier::kFull) point.measured = point.position.log_speedup;
    return search::RuntimeOf(point, root_.root_runtime_s);
  }

  const search::PointText root_;
  const double noise_;
};

}  // namespace

Task PointTask(const std::string& name, const search::TaskLaw& law) {
  return TaskOfPoint(
      name, Render(search::PointText{law.name(), law.root_runtime_s(), {}}));
}

std::unique_ptr<agents::Model> MakePointModel(search::TaskLaw law) {
  return std::make_unique<PointModel>(std::move(law));
}

Result<std::unique_ptr<eval::Evaluator>> MakePointEvaluator(const Task& task,
                                                            double noise) {
  TRY(root, search::ParsePoint(task.root.sources.at(0).content));
  return std::make_unique<PointEvaluator>(std::move(root), noise);
}

}  // namespace coppice::engine
