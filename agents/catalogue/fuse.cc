#include "agents/catalogue/fuse.h"

#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/poly.h"

namespace coppice::agents::catalogue {
namespace {

bool SameRange(const Stmt& a, const Stmt& b, const Definitions& definitions) {
  const auto equal = [&](const Expr& x, const Expr& y) {
    return ToPoly(x, definitions) == ToPoly(y, definitions);
  };
  return equal(*a.init, *b.init) && equal(a.bound, b.bound) &&
         equal(a.step, b.step) && a.type == b.type && a.pragmas == b.pragmas;
}

Stmt Joined(const Stmt& first, const Stmt& second) {
  Stmt joined = first;
  StmtList rest = second.body;
  Rename(rest, second.name, first.name);
  // What the second calls by a name of the first's is another thing.
  for (const Stmt& stmt : first.body) {
    if (stmt.kind != StmtKind::kDecl || !Mentions(rest, stmt.name) ||
        DeclaredNames(second.body).contains(stmt.name)) {
      continue;
    }
    std::string name = stmt.name + "_1";
    while (Mentions(joined.body, name) || Mentions(rest, name)) name += "b";
    Rename(joined.body, stmt.name, name);
  }
  // Names declared on top of both bodies must differ.
  for (const Stmt& stmt : first.body) {
    if (stmt.kind != StmtKind::kDecl) continue;
    for (const Stmt& other : second.body) {
      if (other.kind != StmtKind::kDecl || other.name != stmt.name) continue;
      std::string name = stmt.name + "_2";
      while (Mentions(first.body, name) || Mentions(rest, name)) name += "b";
      Rename(rest, stmt.name, name);
    }
  }
  Append(joined.body, std::move(rest));
  return joined;
}

// The list that holds the loop, and where.
StmtList* ListOf(StmtList& list, const std::string& variable,
                 std::size_t& position) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind == StmtKind::kFor && list[i].name == variable) {
      position = i;
      return &list;
    }
    for (StmtList* inner : {&list[i].body, &list[i].orelse}) {
      if (StmtList* found = ListOf(*inner, variable, position)) return found;
    }
  }
  return nullptr;
}

}  // namespace

bool Fusible(const Stmt& first, const Stmt& second,
             const Definitions& definitions) {
  if (first.kind != StmtKind::kFor || second.kind != StmtKind::kFor) {
    return false;
  }
  if (!SameRange(first, second, definitions)) return false;
  // The second would take the other's variable for what it calls so.
  if (first.name != second.name && Mentions(second.body, first.name)) {
    return false;
  }
  return TestIndependence(Joined(first, second), definitions).Fully();
}

Outcome Fuse(const Site& site, const Technique& technique) {
  Rewritten result{site.span, {}};
  std::size_t at = 0;
  StmtList* list = ListOf(result.span, technique.Arg(0), at);
  if (list == nullptr) return NoReason("there is no such loop here");
  int fused = 0;
  for (std::size_t next = at + 1; next < list->size();) {
    if ((*list)[next].kind == StmtKind::kComment) {
      ++next;
    } else if (Fusible((*list)[at], (*list)[next], site.definitions)) {
      (*list)[at] = Joined((*list)[at], (*list)[next]);
      list->erase(list->begin() + static_cast<long>(at) + 1,
                  list->begin() + static_cast<long>(next) + 1);
      next = at + 1;
      ++fused;
    } else {
      break;
    }
  }
  if (fused == 0) return NoReason("the next statement is no loop to join");
  return result;
}

Outcome Fission(const Site& site, const Stmt& loop, const Technique&) {
  const Independence test = TestIndependence(loop, site.definitions);
  if (!test.holds) return NoReason(test.why_not);
  StmtList parts;
  for (const Stmt& stmt : loop.body) {
    if (stmt.kind == StmtKind::kDecl) {
      return NoReason("`" + stmt.name + "` is shared by its statements");
    }
    Stmt part = loop;
    part.body = {stmt};
    parts.push_back(std::move(part));
  }
  if (WithoutComments(loop.body).size() < 2)
    return NoReason("it holds one statement only");
  return WithLoop(site, loop.name, std::move(parts));
}

}  // namespace coppice::agents::catalogue
