#include "agents/catalogue/plan_agent.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/catalogue.h"
#include "agents/catalogue/moves.h"
#include "agents/catalogue/survey.h"
#include "store/records/random.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kTemperature = 0.8;
constexpr double kAfterFailure = 0.35;  // Factors of a score.
constexpr double kAfterNoGain = 0.6;
constexpr double kLeaderDid = 1.5;

std::string FirstName(const std::string& label) {
  const auto techniques = ParseLabel(label);
  return techniques.empty() ? "" : techniques[0].name;
}

std::string Speedup(double value) {
  const long tenths = std::lround(value * 10.0);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// What the window says about a move, as a factor of its score and in words.
struct Experience {
  double factor = 1.0;
  bool tried = false;
  std::string words;
};

Experience Remember(const Situation& situation, const std::string& label,
                    const std::string& annotated) {
  Experience experience;
  const std::string name = FirstName(label);
  const double here = situation.selected.speedup.value_or(1.0);
  for (const Sighting& seen : situation.history) {
    if (!seen.plan) continue;
    const bool child = seen.kinship == Kinship::kChild;
    if (child && seen.plan->technique == label &&
        seen.plan->annotated_source == annotated) {
      experience.tried = true;
    }
    if (FirstName(seen.plan->technique) != name) continue;
    const std::string what = "`" + seen.plan->technique + "`";
    if (seen.verdict != Verdict::kPassed) {
      experience.factor *= kAfterFailure;
      experience.words += " (In view, " + what + " ended as " +
                          std::string(Name(seen.verdict)) +
                          ", which speaks against it.)";
    } else if (child && seen.speedup.value_or(0.0) < 1.03 * here) {
      experience.factor *= kAfterNoGain;
      experience.words += " (" + what + " gained nothing here before.)";
    } else if (seen.kinship == Kinship::kLeader &&
               seen.speedup.value_or(0.0) > here) {
      experience.factor *= kLeaderDid;
      experience.words += " A leader with speedup " + Speedup(*seen.speedup) +
                          " got there with " + what + ".";
    }
  }
  return experience;
}

struct Candidate {
  Move move;
  double weight = 0.0;
  std::string words;
};

std::vector<Candidate> Weigh(const Situation& situation,
                             const std::string& source,
                             std::vector<Move> moves) {
  std::vector<Candidate> candidates;
  for (Move& move : moves) {
    const Experience experience =
        Remember(situation, move.label, WithAnchors(source, move.span));
    if (experience.tried) continue;
    const double weight =
        std::exp(move.score * experience.factor / kTemperature) - 1.0;
    candidates.push_back({std::move(move), weight, experience.words});
  }
  return candidates;
}

// Draws a candidate by weight and takes it out.
Candidate Draw(std::vector<Candidate>& candidates, RandomStream& stream) {
  double total = 0.0;
  for (const Candidate& candidate : candidates) total += candidate.weight;
  double at = stream.Uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < candidates.size() && at > candidates[chosen].weight) {
    at -= candidates[chosen].weight;
    ++chosen;
  }
  Candidate drawn = std::move(candidates[chosen]);
  candidates.erase(candidates.begin() + static_cast<long>(chosen));
  return drawn;
}

// A drawn move that really applies, with what it gives.
struct Choice {
  Candidate candidate;
  std::string result;
};

std::optional<Choice> Choose(const Situation& situation,
                             const std::string& source, Lines within,
                             RandomStream& stream) {
  const auto kernel = ParseKernel(source);
  if (!kernel) return std::nullopt;
  const Setting setting =
      MakeSetting(situation.task->workloads, situation.threads);
  const Survey survey(*kernel, setting);
  std::vector<Move> moves = SuggestMoves(survey);
  std::erase_if(moves, [&](const Move& move) {
    return move.span.first < within.first || move.span.last > within.last;
  });
  std::vector<Candidate> candidates =
      Weigh(situation, source, std::move(moves));
  while (!candidates.empty()) {
    Candidate candidate = Draw(candidates, stream);
    auto result =
        RewriteSpan(source, candidate.move.span.first, candidate.move.span.last,
                    candidate.move.label, setting);
    if (result) return Choice{std::move(candidate), std::move(*result)};
  }
  return std::nullopt;
}

std::string Fenced(const std::string& source) {
  return "```cpp\n" + source + (source.ends_with('\n') ? "" : "\n") + "```\n";
}

std::string Observed(const Sighting& selected) {
  if (!selected.speedup) return "The selected kernel passes. ";
  return "The selected kernel runs at " + Speedup(*selected.speedup) +
         " times the root's speed. ";
}

}  // namespace

std::string AnswerPlan(const Situation& situation) {
  RandomStream stream(situation.seed, Purpose::kPlanAgent,
                      static_cast<std::uint64_t>(situation.decision));
  const std::string& source = situation.selected.source;
  const Lines everywhere{1, 1 << 30};
  const auto choice = Choose(situation, source, everywhere, stream);
  if (!choice) {
    return "I see nothing left to try on this kernel: every move that its "
           "loops allow was made from it already.\n";
  }
  const Move& move = choice->candidate.move;
  return Observed(situation.selected) + move.what + ": " + move.why + "." +
         choice->candidate.words + "\n\nTechnique: " + move.label + "\n\n" +
         Fenced(WithAnchors(source, move.span));
}

}  // namespace coppice::agents::catalogue
