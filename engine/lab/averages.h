// Averages of scores.  Without any scores each is 0.
#pragma once

#include <span>
#include <vector>

namespace coppice::lab {

double Mean(std::span<const double> values);

// The mean of what is left when the floor(n / 4) least and as many greatest are
// taken away: less moved by outliers than the mean, and less noisy than the
// median.  Agarwal et al. 2021, "Deep reinforcement learning at the edge of the
// statistical precipice", section 4.3 (scipy's trim_mean at 0.25).
double InterquartileMean(std::vector<double> values);

// The sample's, with n - 1.  0 for fewer than two.
double StandardDeviation(std::span<const double> values);

}  // namespace coppice::lab
