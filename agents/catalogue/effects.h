// What statements read and write.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agents/catalogue/poly.h"
#include "agents/catalogue/stmt.h"

namespace coppice::agents::catalogue {

struct ArrayAccess {
  std::string array;
  std::vector<Expr> subscripts;  // Outermost first; never empty.
  bool read = false;
  bool write = false;
};

struct Effects {
  std::vector<ArrayAccess> accesses;
  std::set<std::string> reads;   // Names outside subscripted position.
  std::set<std::string> writes;  // Scalars assigned; not their declarations.
  std::set<std::string> handed;  // What functions get as a whole: f(a), f(s).
  // Holds something whose effects we do not know: raw text, a dereference, a
  // method that may change its object.
  bool opaque = false;

  std::set<std::string> Written() const;  // Scalars and arrays.
  std::set<std::string> WrittenArrays() const;
  std::set<std::string> ReadArrays() const;
};

Effects EffectsOf(const StmtList& list);

// Is it a call that may change what it is handed, as nobody takes its value?
// `whole`: of a statement.
bool IsCallAlone(const Expr& whole);

// What each scalar that is declared once and never assigned stands for, if what
// it is made of is never assigned, either.  A
// loop's tail that was shifted to overlap, min(v, last), counts as v.
Definitions DefinitionsIn(const StmtList& list);

// The definitions with those of the list, which go before.
Definitions WithThoseIn(const StmtList& list, Definitions definitions);

}  // namespace coppice::agents::catalogue
