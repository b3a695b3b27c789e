// Scratch: a local array that lends each iteration of a loop its memory, and
// carries no value from one to the next.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "agents/catalogue/kernel.h"
#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

// Does every read of the arrays in the list find what the list itself wrote
// before?  Follows the list in order, with the elements that are written for
// sure as one interval; std::swap exchanges two arrays'.  No if unsure.
bool WritesBeforeReading(const StmtList& list,
                         const std::set<std::string>& arrays,
                         const Definitions& definitions);

// Is it `std::swap(a, b);` of two names?
bool IsSwap(const Stmt& stmt);

struct Scratch {
  std::string array;
  std::string element;  // Its type.
  Expr size;            // Elements.
};

// The arrays from outside the loop that are scratch to its iterations: nothing
// else in the kernel uses them, and each iteration writes before it reads.
// With `bold`, the latter is taken on trust.
std::vector<Scratch> ScratchOf(const Stmt& loop, const Kernel& kernel,
                               const Definitions& definitions, bool bold);

// A vector for each thread, that is kept between calls.
Stmt MakeBuffer(const std::string& element, const std::string& name);

// A buffer of `copies` times the size for each thread, that is kept between
// calls; its contents are anybody's.
StmtList Declared(const Scratch& scratch, std::int64_t copies,
                  const std::string& buffer);

}  // namespace coppice::agents::catalogue
