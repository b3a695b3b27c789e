#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/catalogue/code_agent.h"
#include "agents/catalogue/debug_agent.h"
#include "agents/catalogue/plan_agent.h"
#include "agents/providers.h"

namespace coppice::agents {
namespace {

class CatalogueModel final : public Model {
 public:
  std::string_view Provider() const override { return "catalogue"; }
  std::string_view ModelName() const override { return "catalogue-1"; }

  Result<ModelAnswer> Complete(const ModelRequest& request) override {
    const Situation* situation = request.situation;
    if (situation == nullptr || situation->task == nullptr) {
      return Fail(Errc::kUsage,
                  "catalogue: reads the situation, which the request lacks");
    }
    ModelAnswer answer;
    answer.cost_usd = 0.0;
    switch (request.role) {
      case Role::kPlan:
        answer.text = catalogue::AnswerPlan(*situation);
        break;
      case Role::kCode:
        answer.text = catalogue::AnswerCode(*situation);
        break;
      case Role::kDebug:
        answer.text = catalogue::AnswerDebug(*situation);
        break;
    }
    return answer;
  }
};

}  // namespace

std::unique_ptr<Model> MakeCatalogueModel() {
  return std::make_unique<CatalogueModel>();
}

}  // namespace coppice::agents
