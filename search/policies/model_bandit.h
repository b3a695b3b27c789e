// Which model to ask next, as ShinkaEvolve chooses (Lange, Imajuku, Cetin 2025,
// "ShinkaEvolve"; its asymmetric UCB in llm/prioritization.py):
// UCB1 (Auer, Cesa-Bianchi, Fischer 2002) over models, whose reward is the
// exponential of what a child gained on its parent, so that rare large gains
// outweigh many small ones, and a loss costs nothing but the attempt.
//
// For arm i: n_i calls, never forgotten; d_i completed ones, discounted; S_i
// the log of the discounted sum of the rewards; M the log of the largest reward
// or mean seen, discounted.  Then
//
//   mean_i   exp(S_i - ln d_i - M)   1 where it equals the largest
//   score_i  mean_i + exploration * sqrt(2 ln max(N, 2) / n_i),  N = sum n_i
//
// With costs, r_i is the median of the arms' mean costs over a lower confidence
// bound of arm i's, scaled so that the largest is 1, and the score becomes
// (1 - cost_weight) * score_i + cost_weight * r_i.
//
// Pure: what it returns depends on the calls made on it alone.  Feed it the
// stored calls in commit order to have it back after a crash (model_rule.h).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "store/records/random.h"

namespace coppice::search {

// Defaults are Shinka's.
struct ModelBanditOptions {
  double exploration = 1.0;  // >= 0
  double epsilon = 0.2;      // Shared by the losers; in [0, 1].
  double discount = 0.95;    // Per completed call, of all arms; in (0, 1].
  double sharpness = 1.0;    // b: a gain g counts as e^(b g) - 1; > 0.
  double cost_weight = 0.0;  // In [0, 1].
};

class ModelBandit {
 public:
  // REQUIRES: arms >= 1.
  explicit ModelBandit(std::size_t arms, ModelBanditOptions options = {});

  // A call was sent; it counts in n_i before it has completed.
  void Submit(std::size_t arm);

  // A call led to a child with this log speedup (none: it does not pass), made
  // from a parent with that one; it cost so much.  A parent slower than the
  // root counts as the root, at 0.  REQUIRES: cost_usd is finite and >= 0.
  void Complete(std::size_t arm, std::optional<double> log_speedup,
                double parent_log_speedup,
                std::optional<double> cost_usd = std::nullopt);

  std::vector<double> Means() const;
  // REQUIRES: every arm was called.
  std::vector<double> Scores() const;
  // Sums to 1.  Uniform over the arms never called while there are some.  Else
  // the winners share 1 - epsilon and the others epsilon; uniform if all tie.
  std::vector<double> Chances() const;
  std::size_t Select(RandomStream& stream) const;  // One draw.

 private:
  struct Arm {
    double log_sum;          // S
    double completed = 0.0;  // d
    int submitted = 0;
    int finished = 0;
    double cost_usd = 0.0;  // Sum over the priced calls.
    int priced = 0;
    int Calls() const { return submitted > finished ? submitted : finished; }
  };

  int TotalCalls() const;
  void Discount();
  std::vector<double> Cheapness() const;

  ModelBanditOptions options_;
  std::vector<Arm> arms_;
  double log_largest_;                  // M
  std::optional<double> cheapest_usd_;  // Single calls.
  std::optional<double> dearest_usd_;
};

}  // namespace coppice::search
