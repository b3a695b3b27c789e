// Which recorded spaces policies were tuned with, and which are to test them
// on: data/tuning_spaces/split.txt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice::engine {

enum class SplitRole : std::uint8_t { kTrain, kTest, kOwn };

struct SplitSpace {
  std::string name;
  SplitRole role = SplitRole::kTrain;
  std::string sha256;  // Of its table, in hexadecimal.
};

// In the order of the file.  kNotFound if there is none; kUsage, with the
// number of the line and what is wrong there, if it is not such a list.
Result<std::vector<SplitSpace>> ReadSplit(
    const std::filesystem::path& data_directory);

// "gemm" of "gemm_RTX_3090".
std::string_view KernelOfSpace(std::string_view name);

// Those that "train", "test" or "own" means; "unseen": those to test on whose
// kernel no space of train has.
std::vector<std::string> SpacesOf(std::string_view set,
                                  const std::vector<SplitSpace>& split);

}  // namespace coppice::engine
