// Draws in proportion to exp(score / temperature) - 1, without replacement.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "store/records/random.h"

namespace coppice::agents::catalogue {

inline double WeightOf(double score, double temperature) {
  return std::exp(score / temperature) - 1.0;
}

// Takes one of `tickets` out, by their `weight` members, which are >= 0.
// REQUIRES: not empty.
template <class Ticket>
Ticket DrawOut(std::vector<Ticket>& tickets, RandomStream& stream) {
  double total = 0.0;
  for (const Ticket& ticket : tickets) total += ticket.weight;
  double at = stream.Uniform() * total;
  std::size_t chosen = 0;
  while (chosen + 1 < tickets.size() && at > tickets[chosen].weight) {
    at -= tickets[chosen].weight;
    ++chosen;
  }
  Ticket drawn = std::move(tickets[chosen]);
  tickets.erase(tickets.begin() + static_cast<std::ptrdiff_t>(chosen));
  return drawn;
}

}  // namespace coppice::agents::catalogue
