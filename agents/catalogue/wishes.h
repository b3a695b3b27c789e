// What people want of plans, as far as the catalogue can follow it.  Rules on
// techniques are kept.  In advice it understands which techniques are named:
// "tile", "tiling", "vectorise"; after a "not", "no" or "avoid" of the same
// clause they are advised against.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace coppice::agents {
struct Wish;
}

namespace coppice::agents::catalogue {

class WishFilter {
 public:
  WishFilter() = default;
  explicit WishFilter(const std::vector<Wish>& wishes);

  // Whether a plan of that label keeps all rules; a step of one, those that
  // forbid.
  bool Allow(const std::string& label) const;
  bool AllowStep(const std::string& label) const;

  // Techniques that every plan must have.
  const std::set<std::string>& required() const { return required_; }

  // What the score of a move is multiplied with: 1 where nobody spoke of it.
  double FactorOf(const std::string& label) const;

 private:
  struct Word {
    std::string text;
    bool is_against = false;
  };
  void Hear(const std::string& advice);

  std::set<std::string> required_;
  std::set<std::string> forbidden_;
  std::vector<Word> words_;
};

}  // namespace coppice::agents::catalogue
