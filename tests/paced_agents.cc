#include "tests/paced_agents.h"

#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "agents/provider/model.h"
#include "engine/process/clock.h"
#include "store/records/evaluation.h"
#include "tests/planted_campaign.h"

namespace coppice {
namespace {

using Seconds = std::chrono::duration<double>;

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

}  // namespace

std::unique_ptr<agents::Model> MakePacedModel(double latency_s) {
  return std::make_unique<PacedModel>(latency_s);
}

Result<Evaluation> PacedEvaluator::Evaluate(const Task&,
                                            const Candidate& candidate,
                                            Tier tier) {
  const double begin = TheClock().Monotonic();
  if (!first_s_) first_s_ = begin;
  if (time_s_ > 0) std::this_thread::sleep_for(Seconds(time_s_));
  Evaluation evaluation = JudgePlanted(candidate.source);
  evaluation.tier = tier;
  last_s_ = TheClock().Monotonic();
  busy_s_ += last_s_ - begin;
  return evaluation;
}

}  // namespace coppice
