#include "eval/python/device_exchange.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "eval/waiting.h"

namespace coppice::eval::python {
namespace {

constexpr int kSides = 2;
constexpr int kRehearsals = 7;

std::size_t Index(Side side) { return static_cast<std::size_t>(side); }

class DeviceExchange : public Exchange {
 public:
  DeviceExchange(Problem& problem, std::vector<SharedLayout> layouts)
      : problem_(problem), layouts_(std::move(layouts)) {}

  Result<void> Join(Contestant& contestant, Side side) override {
    const SharedLayout& inputs = layouts_.front();
    const SharedLayout& outputs = layouts_[1 + Index(side)];
    TRY_DONE(
        contestant.Map(RequestKind::kMap, inputs.order, inputs.memory.get()));
    TRY_DONE(contestant.Map(RequestKind::kLend, outputs.order,
                            outputs.memory.get()));
    for (int i = 0; i < kRehearsals; ++i) {
      TRY(nothing, Bracket(contestant, side, RequestKind::kNothing, 0));
      beside_s_ = std::min(beside_s_, nothing.wall_s);
    }
    return {};
  }

  Result<void> Fill(std::uint64_t seed, std::uint32_t variant) override {
    RandomStream own(seed, Purpose::kInputs, 0);
    for (std::uint32_t set = 0; set < Sets(); ++set) {
      TRY_DONE(problem_.Draw(set == 0 ? seed : own.NextU64(), set, variant));
    }
    return {};
  }

  Result<Reaction> Call(Contestant& contestant, Side side, RequestKind kind,
                        std::uint64_t seed) override {
    TRY(reaction, Bracket(contestant, side, kind, seed));
    // Of calls that are hardly longer a tenth is left: it is not known better.
    reaction.call_s =
        std::max(reaction.wall_s - beside_s_, 0.1 * reaction.wall_s) / Sets();
    return reaction;
  }

  Result<Judgement> Judge(const Contestant& root, const Contestant& candidate,
                          const Rule& rule) override {
    const std::vector<Returned> expected = root.Shapes();
    Judgement judgement = CompareShapes(candidate.Shapes(), expected);
    if (judgement.verdict != Verdict::kPassed) return judgement;
    return problem_.Judge(Sets(), expected, rule);
  }

 private:
  std::uint32_t Sets() const { return layouts_.front().sets; }

  Result<Reaction> Bracket(Contestant& contestant, Side side, RequestKind kind,
                           std::uint64_t seed) {
    const auto start = Clock::now();
    TRY_DONE(problem_.Stage(Index(side), Sets()));
    TRY(reaction,
        contestant.Ask({.kind = kind, .seed = seed, .argument = Sets()}));
    if (reaction.verdict != Verdict::kPassed) return reaction;
    TRY_DONE(problem_.Take(Index(side), Sets()));
    reaction.wall_s = Seconds(Clock::now() - start);
    return reaction;
  }

  Problem& problem_;
  std::vector<SharedLayout> layouts_;  // Inputs, then outputs by side.
  // Of all sides: they do the same, and whatever disturbs it makes it longer.
  double beside_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Result<std::unique_ptr<Exchange>> MakeDeviceExchange(Problem& problem,
                                                     std::uint32_t most_sets,
                                                     RandomStream& stream) {
  TRY(layouts, problem.Keep(most_sets, kSides, stream.NextU64()));
  return std::make_unique<DeviceExchange>(problem, std::move(layouts));
}

}  // namespace coppice::eval::python
