// Which values of settings are programs that are run: what neither a folder, a
// database nor a model may choose for a user.
#pragma once

#include <string>
#include <string_view>

namespace coppice::config {

// REQUIRES: there is such a key.
bool RunsProgram(std::string_view key, const std::string& value);

}  // namespace coppice::config
