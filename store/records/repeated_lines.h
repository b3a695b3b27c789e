// Lines that a lineage deleted and a node writes again: an ancestor had them,
// the parent lacks them.  A search that undoes its own edits shows so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/records/ids.h"

namespace coppice {

struct Forebear {
  NodeId node{};
  std::string source;
};

struct RepeatedLines {
  std::int64_t lines = 0;
  // The node that deleted most of them, of equals the later; set if there are.
  std::optional<NodeId> deleted_by;
};

// Distinct lines, without the blanks at their ends, that hold a letter or a
// digit.  `lineage`: from the parent upwards, those with a source.
RepeatedLines CountRepeatedLines(std::string_view source,
                                 std::span<const Forebear> lineage);

// "writes again 7 lines that its lineage deleted (most by node 12)"; empty if
// there are none.
std::string RepeatedLinesText(const RepeatedLines& again);

}  // namespace coppice
