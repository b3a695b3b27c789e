// Tuning spaces in files, for search/landscapes/recorded_space.h: tables as
// data/tuning_spaces/README.md describes them, plain or compressed by zstd.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "search/landscapes/recorded_space.h"
#include "store/records/result.h"

namespace coppice::engine {

// kNotFound or kIo if there is no such file to read; kUsage, with its name,
// the number of the line and what is wrong there, if it is not such a table.
Result<search::RecordedSpace> ReadRecordedSpace(
    const std::filesystem::path& file);

// Its text, whatever it is of.
Result<std::string> ReadTable(const std::filesystem::path& file);

// The names of those that come with the program, without their endings, sorted.
std::vector<std::string> RecordedSpaceNames(
    const std::filesystem::path& data_directory);

// The file that a user means by one of these names or by a path that ends in
// .csv or .csv.zst.  kUsage, with the nearest name, if there is none.
Result<std::filesystem::path> FindRecordedSpace(
    const std::filesystem::path& data_directory, const std::string& name);

}  // namespace coppice::engine
