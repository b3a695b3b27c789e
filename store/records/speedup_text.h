// The one way in which a speedup is written for people.
#pragma once

#include <string>
#include <string_view>

#include "store/records/speedup.h"

namespace coppice {

// "53x (48-60)": with its 95 % interval, in digits no finer than that allows.
// `before` stands before the interval where nothing else says what it is.  One
// that is known exactly, as the root's, has none: "1x".  One of too few rounds
// has an unknown one: "1.3x (?)".
std::string SpeedupText(const Speedup& speedup, std::string_view before = "");

inline constexpr std::string_view kInterval = "95 % interval ";

}  // namespace coppice
