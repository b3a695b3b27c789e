// What other campaigns' lessons say of a move before anything was tried here: a
// factor of its score.
//
// The gain of a try is the share that its effect has in what there was to gain:
// the logarithm of the effect over that of its campaign's best speedup, within
// 0 and 1; 0 if it is not told apart from its parent, or failed.  Most
// techniques gain once, and nothing where another has done their work, so
// lessons are pooled by what had made the parent: first by whether that was
// anything but the root, then by the names in its program.  With the weights w
// (their nearness) and the mean gain g of each pool, it is drawn towards the
// wider one:
//
//   toward(x) = (w g + x) / (w + 1)
//   all -> state -> name after state -> name after program -> kind after
//   program
//   factor = kind after program / state, within [0.05, 1]
//
// so that one try says little, what nobody tried is as good as the average, and
// lessons can warn of a move but put none before others.
#pragma once

#include <map>
#include <span>
#include <string>

namespace coppice {
struct Lesson;
}

namespace coppice::agents::catalogue {

class Prior {
 public:
  Prior() = default;
  explicit Prior(std::span<const Lesson> lessons);

  // What the score of a move is multiplied with, by the label's first technique
  // (moves have but one), on a kernel that this program made of the root
  // (ProgramAfter).  1 without lessons.
  double FactorOf(const std::string& label, const std::string& program) const;

 private:
  struct Mean {
    double weight = 0.0;
    double sum = 0.0;
    double Towards(double other) const;
  };
  Mean all_;
  std::map<std::string, Mean> pools_;  // By what they have in common.
};

}  // namespace coppice::agents::catalogue
