// Which coppice this is.
#pragma once

#include <string_view>

namespace coppice::engine {

// The release, then the commit it was built from where that is known, as in
// "0.2.0 (d9bc118)"; "-dirty" follows a commit whose files had been changed.
std::string_view Version();

}  // namespace coppice::engine
