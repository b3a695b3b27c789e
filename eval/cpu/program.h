// What a runner is to load.
#pragma once

#include <filesystem>
#include <string>

namespace coppice::eval {

struct Program {
  std::filesystem::path object;
  std::string entry;
};

}  // namespace coppice::eval
