// How many pairs a difference takes to be seen.
#pragma once

#include <cstdint>
#include <optional>

namespace coppice::lab {

inline constexpr double kSignificance = 0.05;

// Pairs for 80 % power at the 5 % level, if the mean difference and the
// standard deviation of differences are as seen:  (2.8 sd / d)^2, rounded up,
// where 2.8 = 1.960 + 0.842 are the normal quantiles of 97.5 % and 80 % (Lehr
// 1992 for one sample).  None for a difference of 0, which no number shows.
std::optional<std::int64_t> PairsForPower(double mean_difference,
                                          double standard_deviation);

// The fewest pairs with which the sign-flip test can be below the level at all
// after Holm's correction for `questions`:  2^(1 - n) * questions <= 0.05.
// REQUIRES: questions >= 1.
std::int64_t LeastPairs(int questions);

}  // namespace coppice::lab
