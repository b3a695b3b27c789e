// How many pairs a difference takes to be seen.
#pragma once

#include <cstdint>
#include <optional>

namespace coppice::lab {

inline constexpr double kSignificance = 0.05;

// z with P(Z > z) = `tail` for a standard normal Z.
// REQUIRES: 1e-12 <= tail <= 0.5.
double UpperQuantile(double tail);

// Pairs for 80 % power at the 5 % level, as one of so many questions, if the
// mean difference and the standard deviation of differences are as seen:
// (q sd / d)^2, rounded up, where q = z(1 - 0.05 / (2 questions)) + z(0.8):
// 1.960 + 0.842 = 2.8 for one (Lehr 1992 for one sample).  That is Holm's
// correction at its hardest, of the least p.  None for a difference of 0, which
// no number shows, or one that takes more than kMostPairs.
// REQUIRES: questions >= 1.
inline constexpr double kMostPairs = 1e8;
std::optional<std::int64_t> PairsForPower(double mean_difference,
                                          double standard_deviation,
                                          int questions);

// The fewest pairs with which the sign-flip test can be below the level at all
// after Holm's correction for `questions`:  2^(1 - n) * questions <= 0.05.
// REQUIRES: questions >= 1.
std::int64_t LeastPairs(int questions);

}  // namespace coppice::lab
