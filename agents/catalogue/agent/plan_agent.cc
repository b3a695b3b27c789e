#include "agents/catalogue/agent/plan_agent.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/agent/chain.h"
#include "agents/catalogue/anchors.h"
#include "agents/catalogue/lottery.h"
#include "agents/catalogue/move_list.h"
#include "store/records/random.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kTemperature = 0.8;
constexpr double kAfterFailure = 0.35;  // Factors of a score.
constexpr double kAfterNoGain = 0.6;
constexpr double kGain = 1.03;  // Times as fast: less is none.
constexpr double kLeaderDid = 1.5;
constexpr double kChainFromRoot = 0.3;  // Chances of several moves at once:
constexpr double kChainFromNode = 0.1;  // on the selected kernel,
constexpr double kAgain = 0.12;         // or on the root's source again.
constexpr int kChainTries = 4;
// At most so many precedents that apply to the root are looked at, unless the
// first of them is worth much more.
constexpr int kMostPrecedents = 2;
constexpr double kNearlyAsGood = 0.9;
// Before it is said that nothing is left.
constexpr int kLastTries = 100;
// The same, where people set rules that most moves may break.
constexpr int kTriesUnderRules = 10;

std::string FirstName(const std::string& label) {
  const auto techniques = ParseLabel(label);
  return techniques.empty() ? "" : techniques[0].name;
}

std::string Times(double value) {
  const long tenths = std::lround(value * 10.0);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// A kernel that was not timed counts as fast as the root.
Speedup Reached(const Sighting& seen) {
  return seen.speedup.value_or(Speedup{1.0, Interval{1.0, 1.0}});
}

// What a change of the selected kernel came to.
std::string_view Gain(const Speedup& over_selected) {
  const auto& interval = over_selected.interval;
  if (interval && interval->high < kGain) return "gained nothing";
  return over_selected.Sign() == 0 ? "could not be told apart" : "";
}

// What the window says about a move, as a factor of its score and in words.
struct Experience {
  double factor = 1.0;
  bool tried = false;
  std::string words;
};

Experience Remember(const PromptContext& context, const std::string& label,
                    const std::string& annotated) {
  Experience experience;
  const std::string name = FirstName(label);
  const Speedup here = Reached(context.selected);
  for (const Sighting& seen : context.history) {
    if (!seen.plan) continue;
    const bool child = seen.kinship == Kinship::kChild;
    if (child && seen.plan->technique == label &&
        seen.plan->annotated_source == annotated) {
      experience.tried = true;
    }
    if (FirstName(seen.plan->technique) != name) continue;
    const std::string what = "`" + seen.plan->technique + "`";
    if (seen.verdict == Verdict::kInconclusive) continue;
    if (seen.verdict != Verdict::kPassed) {
      experience.factor *= kAfterFailure;
      experience.words += " (In view, " + what + " ended as " +
                          std::string(Name(seen.verdict)) +
                          ", which speaks against it.)";
      continue;
    }
    const Speedup over_here = Over(Reached(seen), here);
    if (child) {
      if (over_here.ratio < kGain) experience.factor *= kAfterNoGain;
      if (const std::string_view gain = Gain(over_here); !gain.empty()) {
        experience.words +=
            " (" + what + " " + std::string(gain) + " here before.)";
      }
    } else if (seen.kinship == Kinship::kLeader && over_here.ratio > 1.0) {
      experience.factor *= kLeaderDid;
      experience.words += " A leader with speedup " +
                          Times(Reached(seen).ratio) + " got there with " +
                          what + ".";
    }
  }
  return experience;
}

struct Candidate {
  Move move;
  double weight = 0.0;
  std::string words;
};

std::vector<Candidate> Weigh(const PromptContext& context,
                             const std::string& source, const Setting& setting,
                             std::vector<Move> moves) {
  std::vector<Candidate> candidates;
  for (Move& move : moves) {
    const Experience experience =
        Remember(context, move.label, WithAnchors(source, move.span));
    if (experience.tried) continue;
    const double prior = setting.prior.FactorOf(move.label, setting.program);
    const double weight = WeightOf(move.score * experience.factor * prior *
                                       setting.wishes.FactorOf(move.label),
                                   kTemperature);
    candidates.push_back({std::move(move), weight, experience.words});
  }
  return candidates;
}

// Seen in the window, or anywhere in the campaign.
bool IsKnown(const PromptContext& context, const std::string& source) {
  return context.selected.source == source ||
         std::any_of(
             context.history.begin(), context.history.end(),
             [&](const Sighting& seen) { return seen.source == source; }) ||
         (context.is_known && context.is_known(source));
}

// Whether a plan that leads there is of use: nothing was judged that is the
// same, and no person's rule is broken.
bool MayPropose(const PromptContext& context, const Setting& setting,
                const std::string& label, const std::string& source) {
  return setting.wishes.Allow(label) && !IsKnown(context, source) &&
         !(context.breaks_rule && context.breaks_rule(source));
}

// A drawn move that really applies, with what it gives; of `only` these names.
struct Choice {
  Candidate candidate;
  std::string result;
};

std::optional<Choice> Choose(const PromptContext& context,
                             const Setting& setting, RandomStream& stream,
                             const std::set<std::string>* only = nullptr) {
  const std::string& source = context.selected.source;
  std::vector<Move> moves = MovesOn(source, setting);
  std::erase_if(moves, [&](const Move& move) {
    return !setting.wishes.Allow(move.label);
  });
  if (only != nullptr) {
    std::erase_if(moves, [&](const Move& move) {
      return !only->contains(FirstName(move.label));
    });
  }
  std::vector<Candidate> candidates =
      Weigh(context, source, setting, std::move(moves));
  while (!candidates.empty()) {
    Candidate candidate = DrawOut(candidates, stream);
    auto result =
        RewriteSpan(source, candidate.move.span.first, candidate.move.span.last,
                    candidate.move.label, setting);
    if (result && MayPropose(context, setting, candidate.move.label, *result)) {
      return Choice{std::move(candidate), std::move(*result)};
    }
  }
  return std::nullopt;
}

std::string Fenced(const std::string& source) {
  return "```cpp\n" + source + (source.ends_with('\n') ? "" : "\n") + "```\n";
}

std::string Observed(const Sighting& selected) {
  if (!selected.speedup) return "The selected kernel passes. ";
  return "The selected kernel runs at " + Times(selected.speedup->ratio) +
         " times the root's speed. ";
}

std::string PlanText(const std::string& advice, const std::string& label,
                     const std::string& source, Lines span) {
  return advice + "\n\nTechnique: " + label + "\n\n" +
         Fenced(WithAnchors(source, span));
}

// Empty if nothing is left to try.
std::string PlanMove(const PromptContext& context, const Setting& setting,
                     RandomStream& stream) {
  const auto choice = Choose(context, setting, stream);
  if (!choice) return "";
  const Move& move = choice->candidate.move;
  return PlanText(move.what + ": " + move.why + "." + choice->candidate.words,
                  move.label, context.selected.source, move.span);
}

// A move of those that made the mate what it is and are none of this kernel's.
// Empty if none of them applies.
std::string PlanCross(const PromptContext& context, const Setting& setting,
                      RandomStream& stream) {
  std::set<std::string> names;
  for (const std::string& label : context.mate->techniques) {
    for (const auto& technique : ParseLabel(label)) {
      names.insert(technique.name);
    }
  }
  const auto choice = Choose(context, setting, stream, &names);
  if (!choice) return "";
  const Move& move = choice->candidate.move;
  return PlanText("Node " + std::to_string(Index(context.mate->node)) +
                      " has what this one lacks. " + move.what + ": " +
                      move.why + "." + choice->candidate.words,
                  move.label, context.selected.source, move.span);
}

enum class Start { kSelected, kRoot };

// Several moves at once.  Empty if they would give what is known.
std::string PlanChain(const PromptContext& context, const Setting& setting,
                      Start start, RandomStream& stream,
                      int tries = kChainTries) {
  const std::string& source = context.selected.source;
  const auto span = WholeSpan(source);
  if (!span) return "";
  const bool again = start == Start::kRoot;
  std::optional<Chain> chain;
  for (int i = 0; i < tries && !chain; ++i) {
    chain = again ? DrawChain(context.root.source, "", setting, stream)
                  : DrawChain(source, setting.program, setting, stream);
    if (chain && !MayPropose(context, setting, chain->label, chain->result)) {
      chain.reset();
    }
  }
  if (!chain) return "";
  const std::string advice =
      again ? "Small steps from here promise little, so start again from the "
              "root's source with several at once. "
            : "Take several steps at once. ";
  return PlanText(advice + chain->words,
                  (again ? "again + " : "") + chain->label, source, *span);
}

// The first of the best programs of other tasks that was not judged here yet,
// with a chance of what it is worth; else empty.
std::string PlanPrecedent(const PromptContext& context, const Setting& setting,
                          RandomStream& stream) {
  const std::string& source = context.selected.source;
  const auto span = WholeSpan(source);
  if (!span) return "";
  const bool at_root = source == context.root.source;
  int applied = 0;
  double least = 0.0;
  for (const Precedent& precedent : setting.precedents) {
    if (precedent.value < least) break;
    const auto chain = Follow(precedent, setting);
    if (!chain) continue;
    least = std::max(least, kNearlyAsGood * precedent.value);
    if (++applied > kMostPrecedents) break;
    if (!MayPropose(context, setting, chain->label, chain->result)) continue;
    if (stream.Uniform() >= precedent.value) return "";
    return PlanText("What came to " + Percent(precedent.share) +
                        " of the best "
                        "on another task (" +
                        precedent.origin + ") may do so here. " + chain->words,
                    (at_root ? "" : "again + ") + chain->label, source, *span);
  }
  return "";
}

}  // namespace

std::string AnswerPlan(const PromptContext& context) {
  RandomStream stream(context.seed, Purpose::kPlanAgent,
                      static_cast<std::uint64_t>(context.decision));
  const Setting setting = SettingOf(context);
  const std::string& source = context.selected.source;
  const bool at_root = source == context.root.source;
  const double mood = stream.Uniform();
  std::string plan;
  std::string observed = Observed(context.selected);
  if (context.mate) {
    plan = PlanCross(context, setting, stream);
    if (!plan.empty()) return observed + plan;
    observed += "No technique of node " +
                std::to_string(Index(context.mate->node)) +
                " that this one lacks applies here. ";
  }
  // The first attempt is of what the catalogue sees in this kernel itself.
  if (context.decision > 0 && !setting.precedents.empty()) {
    plan = PlanPrecedent(context, setting, stream);
  }
  if (!plan.empty()) return observed + plan;
  if (at_root && mood < kChainFromRoot) {
    plan = PlanChain(context, setting, Start::kSelected, stream);
  } else if (!at_root && mood < kAgain) {
    plan = PlanChain(context, setting, Start::kRoot, stream);
  } else if (!at_root && mood < kAgain + kChainFromNode) {
    plan = PlanChain(context, setting, Start::kSelected, stream);
  }
  if (plan.empty()) plan = PlanMove(context, setting, stream);
  // No single move has all of several techniques that plans must have.
  if (plan.empty() && setting.wishes.required().size() > 1) {
    plan =
        PlanChain(context, setting, Start::kSelected, stream, kTriesUnderRules);
  }
  if (plan.empty()) {
    plan = PlanChain(context, setting, Start::kRoot, stream,
                     context.wishes.empty() ? kLastTries : kTriesUnderRules);
  }
  if (plan.empty()) return "";
  return observed + plan;
}

}  // namespace coppice::agents::catalogue
