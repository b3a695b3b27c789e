// The program coppice-jail, carried within the library: nothing to install
// beside it, to find, or to mix up with that of another build.
#pragma once

#include <string>

#include "store/records/result.h"

namespace coppice::eval {

// A path by which this process's children can execute it.
Result<std::string> EmbeddedJail();

}  // namespace coppice::eval
