// Numbers in prose, and whether they stand in what was looked up.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace coppice::assistant {

struct Number {
  std::size_t begin = 0;  // In the text; its unit is not part of it.
  std::size_t end = 0;
  double value = 0.0;
  double half_unit = 0.5;  // Of its last digit: it may have been rounded so.
  double scale = 1.0;      // What a number in seconds or a share is times, by
                           // the unit that follows: 1000 for "ms", 100 for "%".
};

// In order, but for digits within words ("conv2d_3x3"), for numbers of a list
// ("1. First"), and within `skipped`, which is in order, too.
std::vector<Number> FindNumbers(
    std::string_view text,
    const std::vector<std::pair<std::size_t, std::size_t>>& skipped = {});

// What was looked up.
class KnownNumbers {
 public:
  void Add(double value);
  void AddAllIn(std::string_view text);

  // Whether one that was added rounds to it.
  bool Has(const Number& number) const;

 private:
  bool HasNear(double value, double distance) const;

  mutable std::vector<double> values_;  // Sorted where is_sorted_.
  mutable bool is_sorted_ = true;
};

}  // namespace coppice::assistant
