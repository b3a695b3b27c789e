// What is believed of the mean of scores after some were observed: the two
// conjugate families of AB-MCTS (Inoue et al. 2025, "Wider or deeper?", arXiv
// 2503.04412), with the priors of its reference implementation, TreeQuest.
#pragma once

#include "store/records/random.h"

namespace coppice::search {

// Observed scores, by their moments.  `count` may be a fraction.
struct ScoreMoments {
  double count = 0.0;
  double sum = 0.0;
  double squares = 0.0;  // Sum of squares.
};

// Normal-inverse-chi-squared: of n scores with mean y and SS = sum of
// (score - y)^2
//
//   kappa_n = kappa + n,  nu_n = nu + n,  m_n = (kappa m + n y) / kappa_n
//   tau2_n  = (nu tau2 + SS + n kappa (m - y)^2 / kappa_n) / nu_n
//
// from kappa = 1, nu = 1, tau2 = 0.1.
struct NormalBelief {
  double mean = 0.0;    // m.
  double weight = 1.0;  // kappa and nu, which stay equal.
  double scale = 0.1;   // tau2.

  static NormalBelief After(double prior_mean, const ScoreMoments& scores);

  // sigma2 ~ InvGamma(nu / 2, nu tau2 / 2), then mu ~ N(m, sigma2 / kappa).
  double Draw(RandomStream& stream) const;
};

// Beta(r + sum, 1 - r + n - sum) of n scores in [0, 1], r the prior mean: a
// prior of weight 1, as Jeffreys' Beta(1/2, 1/2) is.
struct BetaBelief {
  double a = 0.5;
  double b = 0.5;

  // REQUIRES: prior_mean is in (0, 1).
  static BetaBelief After(double prior_mean, const ScoreMoments& scores);

  double Draw(RandomStream& stream) const { return stream.Beta(a, b); }
};

}  // namespace coppice::search
