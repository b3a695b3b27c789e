// Two numbers between which something lies.
#pragma once

namespace coppice::lab {

struct Interval {
  double low = 0.0;
  double high = 0.0;
  bool operator==(const Interval&) const = default;
};

}  // namespace coppice::lab
