#include "engine/outside/submitted_answer.h"

#include <utility>

#include "agents/prompt/anchors.h"
#include "agents/prompt/grounded_instructions.h"
#include "engine/outside/told.h"
#include "engine/steering/constraints.h"
#include "store/digest.h"
#include "store/records/language.h"

namespace coppice::engine {
namespace {

std::string Finished(store::FieldHasher& hasher) {
  const store::Digest digest = hasher.Finish();
  return {digest.begin(), digest.end()};
}

void AddPart(store::FieldHasher& hasher, std::string_view name,
             const std::optional<std::string>& text) {
  if (!text) return;
  hasher.Add(name);
  hasher.Add(std::string_view(*text));
}

// Collects what is wrong.
class Reasons {
 public:
  void Add(std::string why) { all_.push_back(std::move(why)); }
  bool empty() const { return all_.empty(); }

  std::string Text() const {
    std::string text;
    for (const std::string& why : all_) {
      if (!text.empty()) text += "; ";
      text += why;
    }
    return text;
  }

 private:
  std::vector<std::string> all_;
};

void CheckText(std::string_view name, const std::optional<std::string>& text,
               Reasons& reasons) {
  if (!text) return;
  if (text->size() > kMostOfATold_bytes) {
    reasons.Add(std::string(name) + " has " + std::to_string(text->size()) +
                " bytes, more than " + std::to_string(kMostOfATold_bytes));
  }
  if (text->find('\0') != std::string::npos) {
    reasons.Add(std::string(name) + " holds a zero byte");
  }
  if (text->find_first_not_of(" \t\r\n") == std::string::npos) {
    reasons.Add(std::string(name) + " is empty");
  }
}

// Whether these parts are what the ticket is for.
void CheckParts(const Told& told, const Matters& matters, Reasons& reasons) {
  const bool is_plans_turn = matters.role == Role::kPlan;
  if (!told.plan && !told.IsEnd()) {
    reasons.Add(
        "nothing is told: give a plan, a source, or the reason why "
        "there is none");
  }
  if (told.source && told.none_reason) {
    reasons.Add("a source and a reason why there is none exclude each other");
  }
  if (told.plan && !is_plans_turn) {
    reasons.Add("a plan is told where the " + std::string(Name(matters.role)) +
                " agent is to answer");
  }
  if (told.source && is_plans_turn && !told.plan) {
    reasons.Add("a plan comes before the source, or with it");
  }
  if (told.source && is_plans_turn && !matters.roles.Has(Role::kCode)) {
    reasons.Add("the ticket is for " + NameOf(matters.roles) +
                " alone, and takes no source");
  }
}

// A whole answer has it in a fenced block; what begins so is one.
Result<std::string> SourceIn(const std::string& told) {
  const std::size_t begin = told.find_first_not_of(" \t\r\n");
  if (begin != std::string::npos && told.compare(begin, 3, "```") == 0) {
    return agents::ParseCodeAnswer(told);
  }
  return agents::WithoutAnchors(told);
}

void ReadPlan(const Told& told, const Matters& matters, Reasons& reasons,
              Understood& understood) {
  auto plan = agents::ParsePlanAnswer(*told.plan, matters.parent_source,
                                      matters.grounding);
  if (!plan) return reasons.Add("plan: " + plan.error().what);
  if (const auto breach = WhyPlanBreaks(matters.rules, *plan)) {
    reasons.Add("plan: " + std::string(kBrokeRule) + *breach);
  }
  understood.plan = *std::move(plan);
}

void ReadSource(const Told& told, const Matters& matters, Reasons& reasons,
                Understood& understood) {
  const Solution& root = matters.task.root;
  if (told.language && *told.language != WordFor(root.language)) {
    reasons.Add("source: is in " + *told.language + ", and the task is in " +
                std::string(WordFor(root.language)));
  }
  auto source = SourceIn(*told.source);
  if (!source) return reasons.Add("source: " + source.error().what);
  Candidate candidate{root.language, *std::move(source), root.entry_symbol};
  if (const auto breach = WhySourceBreaks(
          matters.rules, {candidate.language, candidate.source, ""})) {
    reasons.Add("source: " + std::string(kBrokeRule) + *breach);
  }
  understood.candidate = std::move(candidate);
}

}  // namespace

bool IsMoney(double usd) { return usd >= 0.0 && usd <= 1e9; }

Result<void> CheckUse(const ClaimedUse& use) {
  Reasons reasons;
  const auto fits = [](std::int64_t tokens) {
    return tokens >= 0 && tokens <= kMostOfAClaim_tokens;
  };
  if (!fits(use.usage.input_tokens) || !fits(use.usage.output_tokens)) {
    reasons.Add("usage: expected 0 to " + std::to_string(kMostOfAClaim_tokens) +
                " tokens");
  }
  if (!IsMoney(use.cost_usd.value_or(0.0))) {
    reasons.Add("usage: cost_usd is no amount of money");
  }
  if (reasons.empty()) return {};
  return Fail(Errc::kUsage, reasons.Text());
}

Result<void> CheckLease(double lease_s) {
  if (lease_s > 0.0 && lease_s <= kLongestLease_s) return {};
  return Fail(Errc::kUsage,
              "lease: expected more than 0 and at most 86400 seconds; renew "
              "the ticket where an attempt takes longer");
}

std::string Told::EndDigest() const {
  store::FieldHasher hasher;
  AddPart(hasher, "source", source);
  AddPart(hasher, "none", none_reason);
  return Finished(hasher);
}

std::string Told::PlanDigest() const {
  store::FieldHasher hasher;
  AddPart(hasher, "plan", plan);
  return Finished(hasher);
}

Result<Understood> Understand(const Told& told, const Matters& matters) {
  Reasons reasons;
  CheckParts(told, matters, reasons);
  CheckText("plan", told.plan, reasons);
  CheckText("source", told.source, reasons);
  CheckText("none_reason", told.none_reason, reasons);
  if (const auto use = CheckUse(told.use); !use) reasons.Add(use.error().what);
  Understood understood;
  const bool is_plans_turn = matters.role == Role::kPlan;
  if (told.plan && is_plans_turn) ReadPlan(told, matters, reasons, understood);
  if (told.source) ReadSource(told, matters, reasons, understood);
  if (!reasons.empty()) return Fail(Errc::kUsage, reasons.Text());
  return understood;
}

}  // namespace coppice::engine
