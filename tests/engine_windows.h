// For benchmarks: the windows that the engine shows, which has the tree in
// memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "store/records/ids.h"

namespace coppice {

struct EngineWindow {
  NodeId selected{};
  std::vector<std::int64_t> shown;  // In order.
  std::int64_t nodes_cut = 0;
};

// The windows of the last campaign of a file, if its next attempt selected one
// of `nodes`.
std::vector<EngineWindow> EngineWindows(const std::filesystem::path& file,
                                        const std::vector<NodeId>& nodes);

}  // namespace coppice
