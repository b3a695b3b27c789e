#include "search/policies/model_rule.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "search/constants.h"
#include "search/lineage.h"
#include "search/tree.h"
#include "store/records/random.h"

namespace coppice::search {
namespace {

constexpr std::string_view kBandit = "bandit";
constexpr std::string_view kRoundRobin = "round_robin";

constexpr ConstantOf<ModelBanditOptions> kBanditConstants[] = {
    {"exploration", &ModelBanditOptions::exploration, 0, 1000},
    {"epsilon", &ModelBanditOptions::epsilon, 0, 1},
    {"discount", &ModelBanditOptions::discount, 0.001, 1},
    {"sharpness", &ModelBanditOptions::sharpness, 0.001, 1000},
    {"cost_weight", &ModelBanditOptions::cost_weight, 0, 1},
};

// An earlier attempt that asked one of the models.
struct Call {
  std::size_t arm = 0;
  const AskedModel* asked = nullptr;
  bool has_come = false;  // Its node is in the tree.
};

std::vector<Call> CallsTo(const std::vector<std::string>& models,
                          const std::vector<AskedModel>& earlier,
                          const Tree& tree) {
  std::vector<Call> calls;
  for (const AskedModel& each : earlier) {
    const auto arm = std::ranges::find(models, each.model);
    const bool has_come = each.node && Index(*each.node) < tree.Size();
    if (arm == models.end() || (has_come && each.answers == 0)) continue;
    calls.push_back(
        {static_cast<std::size_t>(arm - models.begin()), &each, has_come});
  }
  return calls;
}

// The speed of the nearest that passes, from `node` upwards.
double LogSpeedupAbove(const Tree& tree, NodeId node) {
  while (node != kRootNode && !Passes(tree, node)) {
    node = tree.Parent(node);
  }
  return node == kRootNode ? 0.0 : LogSpeedup(tree, node);
}

class Bandit final : public ModelRule {
 public:
  explicit Bandit(ModelBanditOptions options) : options_(options) {
    const std::vector<double> values = {options.exploration, options.epsilon,
                                        options.discount, options.sharpness,
                                        options.cost_weight};
    const std::string own = PrintConstants(Describe(kBanditConstants), values);
    name_ = std::string(kBandit) + (own.empty() ? "" : ":" + own);
  }

  std::string_view Name() const override { return name_; }

  ModelSelection Select(const std::vector<std::string>& models,
                        const std::vector<AskedModel>& earlier,
                        const Tree& tree, RandomStream& stream) const override {
    std::vector<Call> calls = CallsTo(models, earlier, tree);
    ModelBandit bandit(models.size(), options_);
    std::vector<std::size_t> asked(models.size());
    for (const Call& call : calls) {
      bandit.Submit(call.arm);
      ++asked[call.arm];
    }
    std::erase_if(calls, [](const Call& call) { return !call.has_come; });
    std::ranges::sort(calls, {},
                      [](const Call& call) { return *call.asked->node; });
    for (const Call& call : calls) Complete(tree, call, bandit);
    const std::size_t arm = bandit.Select(stream);
    return {models[arm], Reason(bandit.Chances(), arm, asked[arm])};
  }

 private:
  static void Complete(const Tree& tree, const Call& call,
                       ModelBandit& bandit) {
    const NodeSummary& node = tree.Node(*call.asked->node);
    std::optional<double> log_speedup;
    if (Passes(tree, node.id) && !node.is_repeat) {
      log_speedup = LogSpeedup(tree, node.id);
    }
    bandit.Complete(call.arm, log_speedup,
                    LogSpeedupAbove(tree, call.asked->parent),
                    call.asked->cost_usd);
  }

  static std::string Reason(const std::vector<double>& chances, std::size_t arm,
                            std::size_t asked) {
    if (asked == 0) return "not asked yet";
    const std::string often =
        " after " + std::to_string(asked) + (asked == 1 ? " time" : " times");
    const bool leads = chances[arm] == *std::ranges::max_element(chances);
    return (leads ? "highest score" : "by chance") + often;
  }

  ModelBanditOptions options_;
  std::string name_;
};

class RoundRobin final : public ModelRule {
 public:
  std::string_view Name() const override { return kRoundRobin; }

  ModelSelection Select(const std::vector<std::string>& models,
                        const std::vector<AskedModel>& earlier,
                        const Tree& /*tree*/,
                        RandomStream& /*stream*/) const override {
    return {models[earlier.size() % models.size()], "in turn"};
  }
};

}  // namespace

std::unique_ptr<ModelRule> MakeModelBandit(ModelBanditOptions options) {
  return std::make_unique<Bandit>(options);
}

std::unique_ptr<ModelRule> MakeRoundRobin() {
  return std::make_unique<RoundRobin>();
}

Result<std::unique_ptr<ModelRule>> MakeModelRule(std::string_view text) {
  if (text == kRoundRobin) return MakeRoundRobin();
  const std::string_view name = text.substr(0, text.find(':'));
  if (name != kBandit) {
    return Fail(Errc::kUsage, "model_choice '" + std::string(text) +
                                  "' is unknown; it is bandit, with or "
                                  "without constants, or round_robin");
  }
  const std::string_view given =
      name == text ? "" : text.substr(name.size() + 1);
  const auto values = ReadConstants(given, Describe(kBanditConstants));
  if (!values) {
    return Fail(values.error().code,
                "model_choice bandit: " + values.error().what);
  }
  return MakeModelBandit(OptionsOf(kBanditConstants, *values));
}

}  // namespace coppice::search
