// jam(v, width, tail): unroll-and-jam with scalar expansion.
//
//   for j { float sum = 0; for k { sum += a(k) * b(k, j); } c(j) = sum; }
// becomes, for strips of `width` iterations of j that run side by side,
//   for j by 8 { float sum[8]; lanes { sum[l] = 0; }
//                for k { lanes { sum[l] += a(k) * b(k, j + l); } }
//                lanes { c(j + l) = sum[l]; } }
// A loop within stays outside the lanes if every lane runs it alike.  Jamming
// the columns and then the rows of a matrix product blocks it for registers.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Jam(const Site& site, const Stmt& loop, const Technique& technique);

// May all tails but the scalar one be used: do the iterations write without
// reading what they write?
bool CanOverlap(const Stmt& loop);

// The loop's body for a strip of `width` iterations side by side.  `buffers`
// are one-dimensional arrays of the loop's own that stand outside its body;
// those in `on_lanes` now need `width` times the room.  `rows` are those of
// them that hold other values in each lane from the start.
struct StripBody {
  StmtList body;
  std::set<std::string> on_lanes;
};
std::optional<StripBody> OnLanes(const Stmt& loop, std::int64_t width,
                                 const std::string& lane,
                                 const std::set<std::string>& buffers,
                                 const std::set<std::string>& rows);

}  // namespace coppice::agents::catalogue
