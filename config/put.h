// A setting as if somebody had said it.
#pragma once

#include <string>
#include <string_view>

#include "config/load.h"
#include "store/records/result.h"

namespace coppice::config {

// `origin` is what tells of it: "command line", "compare".  An Error names the
// key.  REQUIRES: there is such a key.
Result<void> Put(Loaded& loaded, std::string_view key, const std::string& value,
                 const std::string& origin);

}  // namespace coppice::config
