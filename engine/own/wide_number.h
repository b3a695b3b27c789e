// The text of a number that keeps its error: what an oracle that is derived
// from a root computes with in the place of float and double.
//
// A number carries its value in a wider type, the sum of the magnitudes of the
// terms that were added up to it, how much roundings of those additions may
// come to in any order (Higham and Mary 2019, theorem 3.1: sqrt(n) u sum|x| for
// n of them), and the square of the error that its terms brought along.
// Products and quotients carry errors on by their derivatives, functions by
// being computed at both ends of the error of their argument, with 4 u |f(x)|
// of their own (1 u for a square root).
#pragma once

#include <string>
#include <string_view>

namespace coppice::engine::own {

// `with_doubles`: doubles are among the results, so that values need more.
std::string NumberText(bool with_doubles);

// For oracles in CUDA, which have no long double.
std::string DeviceNumberText();

// float, double, and functions of <cmath>, as the text above has them.
std::string InWideNumbers(std::string_view text);

// Whether <cmath> has it: "sqrt" or, of floats, "sqrtf".
bool IsMathFunction(std::string_view name);

// Other types are their own.
std::string WideType(const std::string& c_type);

}  // namespace coppice::engine::own
