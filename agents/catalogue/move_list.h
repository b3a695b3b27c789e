// For those who suggest moves: a list of them and its phrases.
#pragma once

#include <string>
#include <vector>

#include "agents/catalogue/move.h"
#include "agents/catalogue/survey.h"

namespace coppice::agents::catalogue {

class MoveList {
 public:
  // A move on one loop.  `gain` is what it may do for the loop, from 0 to 6;
  // the loop's share of the time makes it a score.  `why` goes on from "the
  // loop over `j` takes about 90 % of the time".
  void Add(const LoopView& view, const Technique& technique, double gain,
           std::string what, const std::string& why);

  // A move on any span, with its whole reason.
  void Add(Lines span, const std::string& label, double score, std::string what,
           std::string why);

  std::vector<Move> Take() { return std::move(moves_); }

 private:
  std::vector<Move> moves_;
};

std::string Quoted(const std::string& name);  // "`name`"
std::string Percent(double share);            // "90 %"

// Those on one loop: folds, vectors, threads, functions, invariants.
void SuggestForLoop(const Survey& survey, const LoopView& view,
                    MoveList& moves);
// Those that reorder a loop with what is in it or beside it.
void SuggestOrders(const Survey& survey, const LoopView& view, MoveList& moves);
// Recipes for whole nests, and for all nests at once.
void SuggestForNests(const Survey& survey, MoveList& moves);

}  // namespace coppice::agents::catalogue
