// The secret by which programs show that they may ask a server of ours.
#pragma once

#include <filesystem>
#include <string>

#include "store/records/result.h"

namespace coppice::cli {

// 256 bits of the system's generator, as 64 hexadecimal digits.
std::string FreshToken();

// What the file has; made with a fresh token if it is not there.  kUsage, with
// what to do, if anybody but this user may read it, or it holds no such token.
Result<std::string> TokenIn(const std::filesystem::path& path);

}  // namespace coppice::cli
