// What g++ checks addresses by (AddressSanitizer) in an extension whose process
// is a Python that was not compiled for it: the run time is loaded before all
// else, so that torch's memory has fences, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace coppice::eval::torch {

struct WatchTool;

// None: `compiler` has no such run time.
std::optional<WatchTool> FindAddressSanitizer(
    const std::string& compiler = "g++");

// What it found, without addresses and frames that are none of the candidate's:
//
//   heap-buffer-overflow: write of size 4, 0 bytes after 96-byte region
//       in run(torch::Tensor) candidate.py:12
//
// Empty if it found nothing.
std::string AddressFindings(std::string_view output);

}  // namespace coppice::eval::torch
