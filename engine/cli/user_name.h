// Whose name stands beside what a person asks of a campaign.
#pragma once

#include <string>

namespace coppice::cli {

// The name that the system has; "user 1000" where it has none.
std::string UserName();

}  // namespace coppice::cli
