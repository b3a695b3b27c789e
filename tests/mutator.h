// Damages texts the way that files, models and liars do: flipped bits, cuts,
// repeats, parts of other texts, huge numbers, deep nesting.
//
// The inputs that it makes are a function of its seed texts and of their
// number: a failure is found again by running the test again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/random.h"

namespace coppice {

class Mutator {
 public:
  // REQUIRES: at least one seed; none is empty.
  explicit Mutator(std::vector<std::string> seeds);

  // One of the seeds with one to four kinds of damage.
  std::string Next();

 private:
  void Damage(std::string& text);
  void InsertOddity(std::string& text, std::size_t at);
  std::size_t Below(std::size_t n) {
    return static_cast<std::size_t>(random_.Below(n));
  }

  std::vector<std::string> seeds_;
  RandomStream random_{1, Purpose::kInputs, 0};
};

}  // namespace coppice
