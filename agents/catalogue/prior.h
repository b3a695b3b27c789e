// What other campaigns' lessons say of a move before anything was tried here: a
// factor of its score.
//
// The worth of a try is the logarithm of its effect, cut to [-1, 2], 0 if it is
// not told apart, and -0.5 if it failed.  Lessons weigh the square of their
// nearness; those of a chain are shared by its steps.  With w such weights and
// their mean worth x, of all, of a name and of a kind (KindOf):
//
//   name = (w x + 2 all) / (w + 2)     kind = (w x + 2 name) / (w + 2)
//   factor = exp(kind - all), within [0.25, 3]
//
// so that one try says little, and what nobody tried is as good as the average.
#pragma once

#include <map>
#include <span>
#include <string>

#include "store/records/lesson.h"

namespace coppice::agents::catalogue {

class Prior {
 public:
  Prior() = default;
  explicit Prior(std::span<const Lesson> lessons);

  // Of a label's first technique: moves have but one.  1 without lessons.
  double FactorOf(const std::string& label) const;

 private:
  struct Mean {
    double weight = 0.0;
    double sum = 0.0;
    double Towards(double other) const;
  };
  Mean all_;
  std::map<std::string, Mean> names_;
  std::map<std::string, Mean> kinds_;
};

}  // namespace coppice::agents::catalogue
