// What was measured of kernels, in the words that tables and sentences of all
// verbs have for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "store/records/ids.h"

namespace coppice {
struct Speedup;
}
namespace coppice::engine {
struct Rival;
}

namespace coppice::cli {

// The title of a column of SpeedupText.
inline constexpr const char* kSpeedupTitle = "speedup (95 %)";

std::string NodeText(NodeId node);  // "node 7"

// "7", or "7 ~" if the next one cannot be told apart from it; and what to say
// below a table that has such.
std::string WinnerText(NodeId winner,
                       const std::optional<engine::Rival>& rival);
inline constexpr std::string_view kWinnerNote =
    "~: the next best cannot be told apart from it\n";

// "194 us where the root took 10.3 ms": nobody measured it; it is the root's
// time over the speedup.
std::string TimeBySpeedup(double root_runtime_s, const Speedup& speedup);

// "8.31x": a factor that comes without an interval.
std::string TimesText(double factor);

// "$0.2500".
std::string DollarText(double usd);

}  // namespace coppice::cli
