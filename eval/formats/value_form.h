// What the values of an input are like, where not any will do.  Said by tags of
// the definition, so that it holds on every shape and for every distribution:
//
//   positive:x        each is above 0
//   sorted:x          each row ascends
//   probabilities:x   each row is of positive numbers whose sum is 1
//   permutation:p     the integers from 0 on, each once, in any order
//   pinned:row_start  the first is the lowest of its range, the last the
//   highest
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::eval {

enum class ValueForm : std::uint8_t {
  kPositive,
  kSorted,
  kProbabilities,
  kPermutation,
  kPinned,
};

// Maps each input that the tags speak of to its form.  kUsage says what is
// wrong with a tag: no such tensor, not one of floats or of integers, no range
// before it.
Result<std::map<std::string, ValueForm>> ValueForms(
    const Definition& definition);

// Whatever a distribution made of them.  REQUIRES: `row`, the size of the last
// dimension, is positive; the first three for floats, the others for integers,
// of which the last have the ends `low` and `high`.
void GiveForm(ValueForm form, std::size_t row, std::span<float> values);
void GiveForm(ValueForm form, std::uint64_t seed, std::int64_t low,
              std::int64_t high, std::span<std::int64_t> values);

}  // namespace coppice::eval
