// For tests: what a function that prints says on standard output.
#pragma once

#include <concepts>
#include <sstream>
#include <string>

#include "engine/documents/verb.h"

namespace coppice::cli {

template <class Print, class... Arguments>
requires std::invocable<const Print&, const Arguments&..., Streams&> std::string
Printed(const Print& print, const Arguments&... arguments) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{in, out, err};
  print(arguments..., streams);
  return out.str();
}

}  // namespace coppice::cli
