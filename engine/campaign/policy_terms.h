// How policies in Python are run, as the settings say.
#pragma once

#include <filesystem>
#include <string_view>

#include "config/settings.h"

namespace coppice::engine {

// The script that speaks for policies: beside the tasks that come with the
// program, wherever the user's own are.
std::filesystem::path PolicyScript(const config::Settings& settings);

// If `typed` names such a policy, it is known from now on
// (python_policy/python_policy.h).  Whoever types one says so by this: names
// that a database has are not enough.
void LendPolicy(std::string_view typed, const config::Settings& settings);

}  // namespace coppice::engine
