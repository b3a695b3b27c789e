// The curve of a campaign's report.
#pragma once

#include <string>
#include <vector>

#include "engine/cli/report_facts.h"

namespace coppice::cli {

// Where there are more points, each column of the drawing has one.
inline constexpr std::size_t kMostDots = 2'000;

// The best so far over attempts, as a drawing with a title and a description:
// speed by logarithms, a dot for each kernel that passed, and below them a mark
// for each that failed.  With more than kMostDots nodes each column has one
// dot, the fastest's.
std::string CurveDrawing(const std::vector<store::Improvement>& steps,
                         const std::vector<CurveNode>& points);

}  // namespace coppice::cli
