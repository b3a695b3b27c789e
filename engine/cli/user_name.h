// Whose name stands beside what a person asks of a campaign.
#pragma once

#include <string>

namespace coppice::cli {

// As the system has it; "user 1000" where it has none.
std::string UserName();

}  // namespace coppice::cli
