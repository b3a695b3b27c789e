// Which of the tasks that were asked for are not as they should be.
#pragma once

#include <string>
#include <vector>

namespace coppice::cli {

// A task that is not as it should be.
struct Blemish {
  std::string task;
  std::string reason;
};

// The tasks that were asked for and have a blemish.
struct Screened {
  std::vector<Blemish> left_out;
  std::vector<Blemish> kept;  // Though they measure nothing.
};

}  // namespace coppice::cli
