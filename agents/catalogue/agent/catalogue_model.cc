#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "agents/catalogue/agent/code_agent.h"
#include "agents/catalogue/agent/debug_agent.h"
#include "agents/catalogue/agent/plan_agent.h"
#include "agents/prompt/grounded_instructions.h"
#include "agents/provider/providers.h"
#include "store/records/attempt.h"
#include "store/records/own_providers.h"

namespace coppice::agents {
namespace {

// Where people set rules, what is left may be what they forbid: that ends an
// attempt, and no campaign.
const char* WhyNothing(const PromptContext& context) {
  const bool has_rules = std::ranges::any_of(
      context.wishes, [](const Wish& wish) { return wish.is_rule; });
  return has_rules ? kNothingAllowed : kNothingLeft;
}

// Plans and codes in one, or repairs.  Empty: nothing is left to propose.
std::string AnswerAlone(const PromptContext& context) {
  if (context.selected.verdict != Verdict::kPassed) {
    return catalogue::AnswerDebug(context);
  }
  std::string text = catalogue::AnswerPlan(context);
  auto plan = ParsePlanAnswer(text, context.selected.source);
  if (!plan) return text;
  PromptContext planned = context;
  planned.plan = std::move(*plan);
  return planned.plan->advice + "\n\n" + catalogue::AnswerCode(planned);
}

class CatalogueModel final : public Model {
 public:
  std::string_view Provider() const override {
    return NameOf(Answerer::kCatalogue);
  }
  std::string_view ModelName() const override { return "catalogue-1"; }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    const PromptContext* context = request.context;
    if (context == nullptr || context->task == nullptr) {
      return Fail(Errc::kUsage,
                  "catalogue: reads the situation, which the request lacks");
    }
    ModelAnswer answer;
    answer.cost_usd = 0.0;
    switch (request.role) {
      case Role::kPlan:
        answer.text = catalogue::AnswerPlan(*context);
        break;
      case Role::kCode:
        answer.text = context->plan ? catalogue::AnswerCode(*context)
                                    : AnswerAlone(*context);
        break;
      case Role::kDebug:
        answer.text = catalogue::AnswerDebug(*context);
        break;
    }
    if (answer.text.empty()) answer.fault = WhyNothing(*context);
    return answer;
  }
};

}  // namespace

std::unique_ptr<Model> MakeCatalogueModel() {
  return std::make_unique<CatalogueModel>();
}

}  // namespace coppice::agents
