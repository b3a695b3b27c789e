#include "agents/catalogue/suggest_moves.h"

#include <cmath>
#include <utility>

#include "agents/catalogue/move_list.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kLeastShare = 0.02;  // Of the time, to be worth a move.

}  // namespace

std::string Quoted(const std::string& name) { return "`" + name + "`"; }

std::string Percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100.0 * share))) + " %";
}

void MoveList::Add(const LoopView& view, const Technique& technique,
                   double gain, std::string what, const std::string& why) {
  Add(view.lines, Print(technique), gain * view.share, std::move(what),
      "the loop over " + Quoted(view.loop->name) + " takes about " +
          Percent(view.share) + " of the time" + why);
}

void MoveList::Add(Lines span, const std::string& label, double score,
                   std::string what, std::string why) {
  if (score <= 0.0) return;
  moves_.push_back({label, span, score, std::move(what), std::move(why)});
}

std::vector<Move> SuggestMoves(const Survey& survey) {
  MoveList moves;
  for (const LoopView& view : survey.Loops()) {
    if (view.share < kLeastShare || view.trips < 1.0) continue;
    SuggestForLoop(survey, view, moves);
    SuggestOrders(survey, view, moves);
  }
  SuggestForNests(survey, moves);
  return moves.Take();
}

}  // namespace coppice::agents::catalogue
