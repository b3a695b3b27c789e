// The catalogue, for CPUs and for devices: what labels make of a source, and
// which labels make sense.
//
// A label may join several techniques, done in order: "jam(j, 32) + jam(i, 6)".
// "again + ..." does the steps after it to the whole body of the root's source.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/anchors.h"
#include "agents/catalogue/move.h"
#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

// The label applied to the statements on lines first..last of `source`: the
// whole new source, with helpers and headers that it needs.  Or why not.  In a
// source for a device, techniques name their kernel, whatever the lines.
tl::expected<std::string, std::string> RewriteSpan(const std::string& source,
                                                   int first, int last,
                                                   std::string_view label,
                                                   const Setting& setting);

// The moves that make sense; none if the source cannot be read.
std::vector<Move> MovesOn(const std::string& source, const Setting& setting);

// All lines that techniques may change; nothing if it cannot be read.
std::optional<Lines> WholeSpan(const std::string& source);

}  // namespace coppice::agents::catalogue
