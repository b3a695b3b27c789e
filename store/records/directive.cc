#include "store/records/directive.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "store/records/formatted.h"
#include "store/records/model_call.h"
#include "store/records/names.h"
#include "store/records/utf8.h"

namespace coppice {
namespace {

constexpr NameTable<kDirectiveKinds> kKinds = {
    "advise", "forbid", "require", "freeze", "unfreeze",    "boost", "insert",
    "pause",  "resume", "budget",  "policy", "temperature", "note",  "pin",
    "lift",   "model",  "judge",   "gate",   "approve"};
constexpr NameTable<4> kOutcomes = {"pending", "applied", "refused",
                                    "withdrawn"};

bool IsOf(DirectiveKind kind, std::initializer_list<DirectiveKind> kinds) {
  return std::ranges::find(kinds, kind) != kinds.end();
}

using enum DirectiveKind;

bool NeedsNode(DirectiveKind kind) {
  return IsOf(kind, {kFreeze, kUnfreeze, kBoost, kInsert, kPin, kJudge});
}

bool MayHaveNode(DirectiveKind kind) {
  return NeedsNode(kind) || IsOf(kind, {kAdvise, kForbid, kRequire, kNote});
}

bool NeedsText(DirectiveKind kind) {
  return IsOf(kind,
              {kAdvise, kForbid, kRequire, kInsert, kPolicy, kNote, kModel});
}

bool NeedsAmount(DirectiveKind kind) {
  return IsOf(kind, {kBoost, kBudget, kTemperature, kApprove});
}

std::vector<std::string_view> AspectsOf(DirectiveKind kind) {
  if (IsOf(kind, {kForbid, kRequire})) {
    return {kTechniqueAspect, kPatternAspect, kHeaderAspect, kConstraintAspect};
  }
  if (kind == kBudget) {
    return {kAttemptsAspect, kSecondsAspect, kUsdAspect, kTokensAspect};
  }
  if (kind == kApprove) return {kAttemptsAspect, kUsdAspect};
  return {""};
}

std::string AmountText(double amount) { return Formatted("%.6g", amount); }

Result<void> CheckAmount(const Directive& directive) {
  const std::string name(Name(directive.kind));
  if (NeedsAmount(directive.kind) != directive.amount.has_value()) {
    return Fail(Errc::kUsage, name + (directive.amount ? ": takes no number"
                                                       : ": needs a number"));
  }
  if (!directive.amount) return {};
  const double amount = *directive.amount;
  constexpr double kMost = 1e12;
  if (!std::isfinite(amount) || amount < 0.0 || amount > kMost) {
    return Fail(Errc::kUsage, name + ": expected a number of 0 or more");
  }
  const bool is_count = directive.kind == kBoost ||
                        directive.aspect == kAttemptsAspect ||
                        directive.aspect == kTokensAspect;
  if (is_count && amount != std::floor(amount)) {
    return Fail(Errc::kUsage, name + ": expected a whole number");
  }
  constexpr double kMostBoost = 1000.0;
  if (directive.kind == kBoost && (amount < 1.0 || amount > kMostBoost)) {
    return Fail(Errc::kUsage, name + ": expected 1 to 1000 attempts");
  }
  constexpr double kHottest = 2.0;
  if (directive.kind == kTemperature && amount > kHottest) {
    return Fail(Errc::kUsage, name + ": expected 0 to 2");
  }
  return {};
}

// No agent is shown half of what somebody said.
Result<void> CheckAdvice(const Directive& directive) {
  const std::string& text = directive.text;
  if (text.size() > kMostAdviceBytes) {
    return Fail(Errc::kUsage, "advice of " + std::to_string(text.size()) +
                                  " bytes: agents are shown " +
                                  std::to_string(kMostAdviceBytes) +
                                  " at most");
  }
  if (std::ranges::count(text, '\n') < kMostAdviceLines) return {};
  return Fail(Errc::kUsage, "advice of more than " +
                                std::to_string(kMostAdviceLines) + " lines");
}

}  // namespace

std::string_view Name(DirectiveKind kind) { return NameIn(kKinds, kind); }

std::optional<DirectiveKind> DirectiveKindNamed(std::string_view name) {
  return NamedIn<DirectiveKind>(kKinds, name);
}

std::string_view Name(DirectiveOutcome outcome) {
  return NameIn(kOutcomes, outcome);
}

std::optional<DirectiveOutcome> DirectiveOutcomeNamed(std::string_view name) {
  return NamedIn<DirectiveOutcome>(kOutcomes, name);
}

bool Steers(DirectiveKind kind) { return !IsOf(kind, {kNote, kPin}); }

Result<void> CheckDirective(const Directive& directive) {
  const DirectiveKind kind = directive.kind;
  const std::string name(Name(kind));
  if (NeedsNode(kind) && !directive.node) {
    return Fail(Errc::kUsage, name + ": needs a node");
  }
  if (!MayHaveNode(kind) && directive.node) {
    return Fail(Errc::kUsage, name + ": takes no node");
  }
  const bool is_blank =
      directive.text.find_first_not_of(" \t\r\n") == std::string::npos;
  if (NeedsText(kind) && is_blank) {
    return Fail(Errc::kUsage, name + ": needs a text");
  }
  if (!NeedsText(kind) && kind != kPin && !directive.text.empty()) {
    return Fail(Errc::kUsage, name + ": takes no text");
  }
  const auto aspects = AspectsOf(kind);
  if (std::ranges::find(aspects, directive.aspect) == aspects.end()) {
    std::string all;
    for (const std::string_view aspect : aspects) {
      all.append(all.empty() ? "" : ", ").append(aspect);
    }
    return Fail(Errc::kUsage,
                name + ": " +
                    (all.empty() ? "takes no '" + directive.aspect + "'"
                                 : "expected one of " + all));
  }
  if ((kind == kLift) != directive.target.has_value()) {
    return Fail(Errc::kUsage,
                name + (directive.target ? ": lifts nothing"
                                         : ": needs a directive to lift"));
  }
  if (directive.role && !IsOf(kind, {kAdvise, kTemperature, kModel})) {
    return Fail(Errc::kUsage, name + ": is for no role of its own");
  }
  if (directive.author.empty()) return Fail(Errc::kUsage, "no author");
  if (kind == kAdvise) TRY_DONE(CheckAdvice(directive));
  return CheckAmount(directive);
}

std::string DirectiveText(const Directive& directive) {
  std::string text(Name(directive.kind));
  if (directive.node) {
    text += " node " + std::to_string(Index(*directive.node));
  }
  if (directive.role) text.append(" ").append(Name(*directive.role));
  if (!directive.aspect.empty()) text += " " + directive.aspect;
  if (directive.amount) text += " " + AmountText(*directive.amount);
  if (directive.target) {
    text += " directive " + std::to_string(Index(*directive.target));
  }
  if (directive.text.empty()) return text;
  constexpr std::size_t kLongest = 100;
  std::string line = directive.text.substr(0, directive.text.find('\n'));
  line.resize(WholeCharacters(line, kLongest));
  if (line.size() < directive.text.size()) line += "...";
  return text + ": " + line;
}

std::string SteeredText(const Directive& directive) {
  std::string text = directive.author + ": " + DirectiveText(directive);
  if (!directive.refusal.empty()) {
    return text + ": refused: " + directive.refusal;
  }
  const bool is_done = directive.kind == kJudge;
  return text +
         (is_done ? ": done, and counts from decision "
                  : ": holds from decision ") +
         std::to_string(directive.effective_decision.value_or(0)) + " on";
}

std::vector<const Directive*> InForce(const std::vector<Directive>& directives,
                                      std::int64_t decision) {
  std::vector<const Directive*> in_force;
  std::set<DirectiveId> lifted;
  for (const Directive& each : directives) {
    if (each.outcome != DirectiveOutcome::kApplied ||
        !each.effective_decision || *each.effective_decision > decision ||
        !CheckDirective(each)) {
      continue;
    }
    if (each.target) lifted.insert(*each.target);
    in_force.push_back(&each);
  }
  std::erase_if(in_force, [&](const Directive* each) {
    return lifted.contains(each->id) || each->kind == kLift;
  });
  std::ranges::stable_sort(in_force, {}, [](const Directive* each) {
    return std::tuple(*each->effective_decision, each->id);
  });
  return in_force;
}

}  // namespace coppice
