// number_template.inc as a text, which goes into oracles; its test includes it.
#pragma once

#include <string>

namespace coppice::engine::own {

// Needs a type `Wide_` before its line "// A number that keeps its error.".
std::string NumberTemplate();

}  // namespace coppice::engine::own
