// Looking at a comparison more than once.
//
// Who looks after every few seeds and stops once p is below 0.05 is fooled far
// more often than once in twenty: after 8 looks about once in six.  Here the
// level is spent over the looks (alpha spending, Lan and DeMets 1983): each of
// K looks tests at 0.05 / K.  By Bonferroni's inequality the chance of calling
// any policy different that is not stays below 0.05, whatever the scores are
// like, since each look's test is exact and corrected by Holm.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/lab/comparison.h"
#include "engine/lab/power.h"

namespace coppice::lab {

// Seeds of each look: `first`, twice as many, and so on, and `most` at last.
// REQUIRES: 1 <= first, 1 <= most.
std::vector<std::int64_t> Looks(std::int64_t first, std::int64_t most);

// What was told, and when.
class Sequential {
 public:
  explicit Sequential(std::size_t looks)
      : level_(kSignificance / static_cast<double>(looks)) {}

  // What each look may spend, to compare adjusted p-values with.
  double level() const { return level_; }

  // Takes in all policies after so many seeds.
  void Look(const Comparison& comparison, std::int64_t seeds);

  // Whether each policy was told from the baseline at some look.
  bool AllTold() const { return told_.size() == asked_; }

  struct Told {
    DifferenceSign finding = DifferenceSign::kCannotTell;
    std::int64_t seeds = 0;
  };
  // What each policy was told to be.  What was told once stays so, whatever
  // later looks show.
  const std::map<std::string, Told>& told() const { return told_; }

 private:
  double level_;
  std::size_t asked_ = 1;  // Nothing is told before a look.
  std::map<std::string, Told> told_;
};

}  // namespace coppice::lab
