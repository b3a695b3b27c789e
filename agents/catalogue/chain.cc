#include "agents/catalogue/chain.h"

#include <vector>

#include "agents/catalogue/catalogue.h"
#include "agents/catalogue/lottery.h"
#include "agents/catalogue/moves.h"

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

// A move that means the same for the whole body as at its own place.
std::optional<Step> DrawStep(const std::string& source, std::size_t room,
                             const Setting& setting, RandomStream& stream) {
  const auto body = WholeSpan(source);
  if (!body) return std::nullopt;
  std::vector<Ticket> tickets;
  for (Move& move : MovesOn(source, setting)) {
    if (move.label.size() > room) continue;
    const double weight = WeightOf(
        move.score * setting.prior.FactorOf(move.label), kChainTemperature);
    tickets.push_back({std::move(move), weight});
  }
  for (int tries = 0; tries < kTries && !tickets.empty(); ++tries) {
    Move move = DrawOut(tickets, stream).move;
    const auto here = RewriteSpan(source, move.span.first, move.span.last,
                                  move.label, setting);
    if (!here) continue;
    const auto whole =
        RewriteSpan(source, body->first, body->last, move.label, setting);
    if (whole && *whole == *here) return Step{std::move(move), *here};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Chain> DrawChain(const std::string& source,
                               const Setting& setting, RandomStream& stream) {
  const std::size_t wanted = 2 + stream.Below(kLongest - 1);
  Chain chain{"", source, ""};
  std::size_t steps = 0;
  while (steps < wanted && chain.label.size() + 3 < kLongestLabel) {
    const std::size_t used = chain.label.empty() ? 0 : chain.label.size() + 3;
    auto step = DrawStep(chain.result, kLongestLabel - used, setting, stream);
    if (!step) break;
    chain.label += (steps == 0 ? "" : " + ") + step->move.label;
    chain.words +=
        (steps == 0 ? "" : " ") + step->move.what + ": " + step->move.why + ".";
    chain.result = std::move(step->result);
    ++steps;
  }
  if (steps < 2) return std::nullopt;
  const auto body = WholeSpan(source);
  const auto together =
      RewriteSpan(source, body->first, body->last, chain.label, setting);
  if (!together || *together != chain.result) return std::nullopt;
  return chain;
}

}  // namespace coppice::agents::catalogue
