#include "engine/campaign/budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "config/keys.h"
#include "config/load.h"
#include "store/records/formatted.h"
#include "store/write/campaigns.h"

namespace coppice::engine {
namespace {

constexpr std::string_view kEvaluator = "budget_evaluator_s";

// One of the three.
struct Limit {
  std::string_view key;
  std::optional<double> own;  // None: it has no end.
  std::optional<double> given;
  double used = 0.0;
  std::string_view unit;
};

// None is no limit.
std::optional<double> Longer(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

std::string AmountText(double number) {
  return Formatted("%.12g", std::round(number * 10.0) / 10.0);
}

// Among the settings that it began with.
std::optional<double> StoredEvaluatorLimit(const store::CampaignSpec& spec) {
  for (const store::CampaignSetting& setting : spec.settings) {
    if (setting.key != kEvaluator) continue;
    char* end = nullptr;
    const double limit = std::strtod(setting.value.c_str(), &end);
    if (end != setting.value.c_str()) return limit;
  }
  return std::nullopt;  // Also the word "none".
}

void StoreEvaluatorLimit(const config::Loaded& loaded,
                         store::CampaignSpec& spec) {
  const auto now =
      std::ranges::find(loaded.origins, kEvaluator, &config::Origin::key);
  for (store::CampaignSetting& setting : spec.settings) {
    if (setting.key != kEvaluator) continue;
    setting.value = now->value;
    setting.origin = now->origin;
  }
}

std::array<Limit, 3> LimitsOf(const config::Loaded& loaded,
                              const store::CampaignRow& row,
                              double evaluator_s) {
  const config::Settings& now = loaded.settings;
  return {
      Limit{"budget", static_cast<double>(row.spec.budget_attempts),
            static_cast<double>(now.budget_attempts),
            static_cast<double>(row.attempts), "attempts"},
      Limit{"budget_s", row.spec.budget_s, now.budget_s, row.elapsed_s,
            "seconds"},
      Limit{kEvaluator, StoredEvaluatorLimit(row.spec), now.budget_evaluator_s,
            evaluator_s, "seconds of the evaluator"}};
}

// "c: --budget 5: is less than the 16 attempts that it has used; ..."
Error TooLittle(const std::string& campaign, const std::string& option,
                const Limit& limit) {
  return {Errc::kUsage,
          campaign + ": " + option + " " + AmountText(*limit.given) +
              " is less than the " + AmountText(limit.used) + " " +
              std::string(limit.unit) + " that it has used; give more"};
}

Error AtItsEnd(const std::string& campaign, const Limit& limit) {
  std::string option(limit.key);
  std::ranges::replace(option, '_', '-');
  return {Errc::kUsage, campaign + ": its " + AmountText(*limit.own) + " " +
                            std::string(limit.unit) +
                            " are used up; to go on, give more with --" +
                            option + ", too"};
}

}  // namespace

bool SaysBudget(const config::Loaded& loaded) {
  return config::SaidBy(loaded, "budget") ||
         config::SaidBy(loaded, "budget_s") ||
         config::SaidBy(loaded, kEvaluator) ||
         std::ranges::any_of(config::NamesIn({config::Group::kStop}),
                             [&](std::string_view key) {
                               return config::SaidBy(loaded, key).has_value();
                             });
}

Result<store::CampaignSpec> WithBudget(const config::Loaded& loaded,
                                       const store::CampaignRow& row,
                                       double evaluator_s, GivenBudget given) {
  const bool is_finished = row.state == store::CampaignState::kFinished;
  const bool is_extended =
      given == GivenBudget::kIsTheOne && SaysBudget(loaded);
  std::array<Limit, 3> limits = LimitsOf(loaded, row, evaluator_s);
  for (Limit& limit : limits) {
    const auto option = config::SaidBy(loaded, limit.key);
    if (option && given == GivenBudget::kIsTheOne) {
      if (limit.given && *limit.given < limit.used) {
        return tl::unexpected<Error>(TooLittle(row.spec.name, *option, limit));
      }
      limit.own = limit.given;
      continue;
    }
    if (config::IsGiven(loaded, limit.key)) {
      limit.own = Longer(limit.own, limit.given);
    }
    if (is_extended && is_finished && limit.own && limit.used >= *limit.own) {
      return tl::unexpected<Error>(AtItsEnd(row.spec.name, limit));
    }
  }
  store::CampaignSpec spec = row.spec;
  spec.budget_attempts = static_cast<std::int64_t>(*limits[0].own);
  spec.budget_s = limits[1].own;
  if (given == GivenBudget::kIsTheOne && config::SaidBy(loaded, kEvaluator)) {
    StoreEvaluatorLimit(loaded, spec);
  }
  return spec;
}

}  // namespace coppice::engine
