// coppice import kernelbench: its times of baselines, to compare with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::cli {

enum class Exit : int;
struct Invocation;
struct Streams;

// The files of a directory, or the one file.
Result<std::vector<std::filesystem::path>> BaselineFiles(
    const std::filesystem::path& path);

// REQUIRES: `files` are of BaselineFiles, and there are some.
Result<Exit> ImportBaselines(const Invocation& invocation,
                             const std::vector<std::filesystem::path>& files,
                             Streams& streams);

}  // namespace coppice::cli
