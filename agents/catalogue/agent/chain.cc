#include "agents/catalogue/agent/chain.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "agents/catalogue/agent/catalogue.h"
#include "agents/catalogue/lottery.h"
#include "agents/prompt/request_options.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kChainTemperature = 0.6;  // Bolder, so surer of each step.
constexpr std::size_t kLongest = 4;
// A technique's label is cut at 64 bytes; "again + " may stand in front.
constexpr std::size_t kLongestLabel = 56;
constexpr int kTries = 12;  // Per step.

struct Ticket {
  Move move;
  double weight = 0.0;
};

struct Step {
  Move move;
  std::string result;
};

// The move, if it means the same for the whole body as at its own place.
std::optional<Step> Take(const std::string& source, Lines body, Move move,
                         const Setting& setting) {
  const auto here =
      RewriteSpan(source, move.span.first, move.span.last, move.label, setting);
  if (!here) return std::nullopt;
  const auto whole =
      RewriteSpan(source, body.first, body.last, move.label, setting);
  if (!whole || *whole != *here) return std::nullopt;
  return Step{std::move(move), *here};
}

std::optional<Step> DrawStep(const std::string& source,
                             const std::string& program, std::size_t room,
                             const Setting& setting, RandomStream& stream) {
  const auto body = WholeSpan(source);
  if (!body) return std::nullopt;
  std::vector<Ticket> tickets;
  for (Move& move : MovesOn(source, setting)) {
    if (move.label.size() > room || !setting.wishes.AllowStep(move.label)) {
      continue;
    }
    const double weight =
        WeightOf(move.score * setting.prior.FactorOf(move.label, program) *
                     setting.wishes.FactorOf(move.label),
                 kChainTemperature);
    tickets.push_back({std::move(move), weight});
  }
  for (int tries = 0; tries < kTries && !tickets.empty(); ++tries) {
    Move move = DrawOut(tickets, stream).move;
    if (auto step = Take(source, *body, std::move(move), setting)) return step;
  }
  return std::nullopt;
}

// Its numbers, and words such as "overlap", but not what it is done to.
std::vector<std::string> RequestOptions(const Technique& technique) {
  std::vector<std::string> request_options = technique.args;
  if (!request_options.empty()) request_options.erase(request_options.begin());
  return request_options;
}

// Moves of the technique's kind: itself first, then those in the same request
// options, then by score.
std::vector<Move> Alike(const Technique& technique, std::vector<Move> moves) {
  const auto rank = [&](const Move& move) {
    const std::vector<Technique> steps = ParseLabel(move.label);
    return std::tuple(
        steps.front() == technique,
        RequestOptions(steps.front()) == RequestOptions(technique), move.score);
  };
  std::erase_if(moves, [&](const Move& move) {
    const std::vector<Technique> steps = ParseLabel(move.label);
    return steps.size() != 1 || KindOf(steps.front()) != KindOf(technique);
  });
  std::ranges::stable_sort(moves, std::ranges::greater(), rank);
  return moves;
}

std::optional<Step> FollowStep(const std::string& source,
                               const Technique& technique, std::size_t room,
                               const Setting& setting) {
  const auto body = WholeSpan(source);
  if (!body) return std::nullopt;
  for (Move& move : Alike(technique, MovesOn(source, setting))) {
    if (move.label.size() > room) continue;
    if (auto step = Take(source, *body, std::move(move), setting)) return step;
  }
  return std::nullopt;
}

// What steps have come to so far.
class Growth {
 public:
  explicit Growth(const std::string& source) : chain_{"", source, ""} {}

  std::size_t Steps() const { return steps_; }
  const std::string& Source() const { return chain_.result; }
  const std::string& Label() const { return chain_.label; }
  // Bytes that the next step's label may have.
  std::size_t Room() const {
    const std::size_t used = steps_ == 0 ? 0 : chain_.label.size() + 3;
    return used < kLongestLabel ? kLongestLabel - used : 0;
  }

  void Add(Step step) {
    chain_.label += (steps_ == 0 ? "" : " + ") + step.move.label;
    chain_.words +=
        (steps_ == 0 ? "" : " ") + step.move.what + ": " + step.move.why + ".";
    chain_.result = std::move(step.result);
    ++steps_;
  }

  // Nothing unless the label does at once what the steps did.
  std::optional<Chain> Finish(const std::string& source,
                              const Setting& setting) && {
    const auto body = WholeSpan(source);
    const auto together =
        RewriteSpan(source, body->first, body->last, chain_.label, setting);
    if (!together || *together != chain_.result) return std::nullopt;
    return std::move(chain_);
  }

 private:
  Chain chain_;
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<Chain> DrawChain(const std::string& source,
                               const std::string& program,
                               const Setting& setting, RandomStream& stream) {
  const std::size_t wanted = 2 + stream.Below(kLongest - 1);
  Growth growth(source);
  while (growth.Steps() < wanted && growth.Room() > 0) {
    auto step = DrawStep(growth.Source(), ProgramAfter(program, growth.Label()),
                         growth.Room(), setting, stream);
    if (!step) break;
    growth.Add(std::move(*step));
  }
  if (growth.Steps() < 2) return std::nullopt;
  return std::move(growth).Finish(source, setting);
}

std::optional<Chain> Follow(const Precedent& precedent,
                            const Setting& setting) {
  Growth growth(setting.root);
  for (const Technique& technique : precedent.steps) {
    auto step = FollowStep(growth.Source(), technique, growth.Room(), setting);
    if (!step) return std::nullopt;
    growth.Add(std::move(*step));
  }
  if (growth.Steps() == 0) return std::nullopt;
  return std::move(growth).Finish(setting.root, setting);
}

}  // namespace coppice::agents::catalogue
