// pack(x, v): a copy of x in the order in which the nest reads it, with
// neighbours in v next to each other.
//
//   for i { for j { for k { sum += a(i, k) * b[j * K + k]; } } }
// with pack(b, j) reads b_packed[k * N + j]; the copy is made once, in front
// of the nest, and used by every iteration of the loops b does not depend on.
#pragma once

#include "agents/catalogue/technique.h"

namespace coppice::agents::catalogue {

Outcome Pack(const Site& site, const Technique& technique);

// The array of the nest, and the loop, for which packing pays; empty if none.
struct Packable {
  std::string array;
  std::string loop;
};
Packable FindPackable(const Stmt& nest, const Definitions& definitions);

}  // namespace coppice::agents::catalogue
