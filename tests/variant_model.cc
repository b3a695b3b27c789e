#include "tests/variant_model.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "agents/prompt/prompt_context.h"
#include "agents/provider/model.h"
#include "store/records/random.h"

namespace coppice {
namespace {

class VariantModel final : public agents::Model {
 public:
  std::string_view Provider() const override { return "simulation"; }
  std::string_view ModelName() const override { return "variants"; }

  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    const agents::PromptContext& context = *request.context;
    const std::string& source = context.selected.source;
    RandomStream draws(context.seed, Purpose::kCodeAgent,
                       static_cast<std::uint64_t>(context.decision));
    const std::uint64_t variant = draws.Below(24);
    std::string text;
    if (request.role == Role::kPlan) {
      text = "Make a variant.\nTechnique: variant " + std::to_string(variant) +
             "\n" +
             Fenced("// <<<IMPROVE BEGIN>>>\n" + source +
                    "// <<<IMPROVE END>>>\n");
    } else if (draws.Below(20) == 0) {
      text = "I would rather not.";
    } else {
      text = Fenced("int variant_" + std::to_string(variant) + ";  // For " +
                    std::to_string(context.decision) + ".\n");
    }
    return agents::ModelAnswer{std::move(text), {100, 0, 10}, 0.25};
  }

 private:
  static std::string Fenced(const std::string& source) {
    return "```cpp\n" + source + "```\n";
  }
};

}  // namespace

std::unique_ptr<agents::Model> MakeVariantModel() {
  return std::make_unique<VariantModel>();
}

}  // namespace coppice
