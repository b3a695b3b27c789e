// alternate(t): a loop over time steps that computes an array from another and
// copies it back lets the two change roles instead.
//
//   for t { for i { next[i] = f(now, i); } for i { now[i] = next[i]; } }
// becomes
//   from = now; to = next;
//   for t { for i { to[i] = f(from, i); } std::swap(from, to); }
//   if (from != now) { for i { now[i] = from[i]; } }
// Elements that no step writes must be alike in both arrays, or there are
// none.
#include <algorithm>
#include <utility>

#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"

namespace coppice::agents::catalogue {
namespace {

// A nest of loops, each alone in the one around it, and what it does.
struct PlainNest {
  std::vector<const Stmt*> loops;
  const StmtList* body = nullptr;
};

PlainNest PlainNestOf(const Stmt& loop) {
  PlainNest nest;
  const Stmt* at = &loop;
  while (true) {
    nest.loops.push_back(at);
    nest.body = &at->body;
    if (at->body.size() != 1 || at->body[0].kind != StmtKind::kFor) return nest;
    at = &at->body[0];
  }
}

// The one element of `array` that every pass through the list writes, and
// nothing else of it.
std::optional<Expr> AlwaysWritten(const StmtList& list,
                                  const std::string& array) {
  std::optional<Expr> element;
  for (const Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kExpr && IsAssignment(stmt.expr) &&
        stmt.expr.args[0].kind == ExprKind::kIndex &&
        ArrayName(stmt.expr.args[0]) == array) {
      if (stmt.expr.text != "=") return std::nullopt;
      element = stmt.expr.args[0];
    }
    if (stmt.kind == StmtKind::kIf && Mentions({stmt}, array)) {
      element = AlwaysWritten(stmt.body, array);
      if (!element || element != AlwaysWritten(stmt.orelse, array)) {
        return std::nullopt;
      }
    }
  }
  return element;
}

struct TimeStep {
  const Stmt* compute = nullptr;
  const Stmt* copy = nullptr;
  std::string now, next;
  Expr computed, copied;  // Subscripts.
};

std::optional<TimeStep> MatchStep(const Stmt& time) {
  TimeStep step;
  for (const Stmt& stmt : time.body) {
    if (stmt.kind == StmtKind::kComment) continue;
    if (stmt.kind != StmtKind::kFor || step.copy != nullptr) {
      return std::nullopt;
    }
    (step.compute == nullptr ? step.compute : step.copy) = &stmt;
  }
  if (step.copy == nullptr || !time.pragmas.empty()) return std::nullopt;
  const PlainNest copy = PlainNestOf(*step.copy);
  if (copy.body->size() != 1 || copy.body->front().kind != StmtKind::kExpr) {
    return std::nullopt;
  }
  const Expr& assign = copy.body->front().expr;
  if (assign.text != "=" || assign.args.size() != 2 ||
      assign.args[0].kind != ExprKind::kIndex ||
      assign.args[1].kind != ExprKind::kIndex ||
      assign.args[0].args[0].kind != ExprKind::kName ||
      assign.args[1].args[0].kind != ExprKind::kName ||
      assign.args[0].args[1] != assign.args[1].args[1]) {
    return std::nullopt;
  }
  step.now = ArrayName(assign.args[0]);
  step.next = ArrayName(assign.args[1]);
  step.copied = assign.args[0].args[1];
  const Effects effects = EffectsOf({*step.compute});
  if (effects.opaque || effects.WrittenArrays() != std::set{step.next} ||
      effects.ReadArrays().contains(step.next) ||
      effects.handed.contains(step.next) || step.now == step.next) {
    return std::nullopt;
  }
  const std::set<std::string> local = DeclaredNames({*step.compute});
  for (const std::string& scalar : effects.writes) {
    if (!local.contains(scalar)) return std::nullopt;
  }
  const auto element =
      AlwaysWritten(*PlainNestOf(*step.compute).body, step.next);
  if (!element || element->args[0].kind != ExprKind::kName) return std::nullopt;
  step.computed = element->args[1];
  return step;
}

// Do two nests run over the same elements, by the same loops?
bool SameElements(const Stmt& one, const Expr& at_one, const Stmt& other,
                  const Expr& at_other) {
  const PlainNest a = PlainNestOf(one), b = PlainNestOf(other);
  if (a.loops.size() != b.loops.size()) return false;
  Expr at = at_other;
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    Expr init = *b.loops[i]->init, bound = b.loops[i]->bound;
    for (const auto& [from, to] : names) {
      init = Substituted(std::move(init), from, Name(to));
      bound = Substituted(std::move(bound), from, Name(to));
    }
    if (init != *a.loops[i]->init || bound != a.loops[i]->bound ||
        a.loops[i]->step != b.loops[i]->step) {
      return false;
    }
    names[b.loops[i]->name] = a.loops[i]->name;
  }
  for (const auto& [from, to] : names) {
    at = Substituted(std::move(at), from, Name(to));
  }
  return at == at_one;
}

// The number of elements 0, 1, ... that a nest runs over, if it is all of
// them, row by row.
std::optional<Poly> WholeOf(const Stmt& loop, const Expr& at,
                            const Definitions& definitions) {
  const PlainNest nest = PlainNestOf(loop);
  Poly size(1);
  Poly rest = ToPoly(at, definitions);
  for (std::size_t i = nest.loops.size(); i-- > 0;) {
    const auto split = SplitBy(rest, nest.loops[i]->name);
    if (!split || !(split->slope == size) || !CountsFromZero(*nest.loops[i])) {
      return std::nullopt;
    }
    size = size * ToPoly(nest.loops[i]->bound, definitions);
    rest = split->rest;
  }
  if (!rest.IsZero()) return std::nullopt;
  return size;
}

// Elements of the vector that the kernel declares.
std::optional<Poly> SizeOfVector(const Kernel& kernel,
                                 const std::string& vector,
                                 const Definitions& definitions) {
  std::optional<Poly> size;
  VisitStmts(kernel.body, [&](const Stmt& stmt) {
    const std::vector<Expr>* arguments = VectorArguments(stmt);
    if (arguments != nullptr && stmt.name == vector) {
      size = ToPoly(arguments->front(), definitions);
    }
  });
  return size;
}

// Does one loop in front of `time` give both arrays the same values, all of
// them, and nothing between the two change either?
bool StartAlike(const StmtList& body, const Stmt& time, const TimeStep& step,
                const Poly& size, const Definitions& definitions) {
  bool alike = false;
  for (const Stmt& stmt : body) {
    if (stmt.kind == StmtKind::kFor && stmt.name == time.name) return alike;
    const Effects effects = EffectsOf({stmt});
    const auto written = effects.WrittenArrays();
    if (!written.contains(step.now) && !written.contains(step.next) &&
        !(effects.opaque && MentionsAny({stmt}, {step.now, step.next}))) {
      continue;
    }
    alike = false;
    if (stmt.kind != StmtKind::kFor) continue;
    std::optional<Expr> now, next;
    for (const Stmt& inner : *PlainNestOf(stmt).body) {
      if (inner.kind != StmtKind::kExpr || inner.expr.text != "=") continue;
      const std::string array = ArrayName(inner.expr.args[0]);
      if (array == step.now) now = inner.expr;
      if (array == step.next) next = inner.expr;
    }
    const auto whole = now && now->args[0].kind == ExprKind::kIndex
                           ? WholeOf(stmt, now->args[0].args[1], definitions)
                           : std::nullopt;
    alike = now && next && whole && *whole == size &&
            now->args[0].args[1] == next->args[0].args[1] &&
            now->args[1] == next->args[1] && written.size() == 2 &&
            !Mentions(now->args[1], step.now) &&
            !Mentions(now->args[1], step.next);
  }
  return false;
}

Expr PointerTo(const Kernel& kernel, const std::string& array) {
  const bool is_vector = HasStmt(kernel.body, [&](const Stmt& stmt) {
    return stmt.name == array && VectorArguments(stmt) != nullptr;
  });
  return is_vector ? CallMethod(array, "data") : Name(array);
}

}  // namespace

Outcome Alternate(const Site& site, const Stmt& time, const Technique&) {
  const auto step = MatchStep(time);
  if (!step) return NoReason("it does not compute an array and copy it back");
  const auto size = SizeOfVector(site.kernel, step->next, site.definitions);
  if (!size) return NoReason("`" + step->next + "` is no vector of its own");
  // Behind the loop, nothing may look at what the steps left in it.
  bool behind = false, used = false;
  for (const Stmt& stmt : site.kernel.body) {
    if (behind) used |= Mentions(StmtList{stmt}, step->next);
    behind |= FindLoop(StmtList{stmt}, time.name) != nullptr;
  }
  if (used) return NoReason("`" + step->next + "` is used behind the loop");
  const auto computed =
      WholeOf(*step->compute, step->computed, site.definitions);
  const auto copied = WholeOf(*step->copy, step->copied, site.definitions);
  const bool all = computed && copied && *computed == *size && *copied == *size;
  if (!all) {
    const bool same =
        SameElements(*step->compute, step->computed, *step->copy, step->copied);
    if (!same && !(copied && *copied == *size)) {
      return NoReason("it does not copy back what it computes");
    }
    if (!StartAlike(site.kernel.body, time, *step, *size, site.definitions)) {
      return NoReason("elements that no step writes may differ between `" +
                      step->now + "` and `" + step->next + "`");
    }
  }
  const std::string element = site.kernel.ElementOf(step->now);
  if (element.empty() || element != site.kernel.ElementOf(step->next)) {
    return NoReason("the two arrays are not of one type");
  }
  const std::string from = site.Fresh(step->now + "_from");
  const std::string to = site.Fresh(step->next + "_to");
  Stmt compute = *step->compute;
  StmtList body = {std::move(compute)};
  Substitute(body, step->now, Name(from));
  Substitute(body, step->next, Name(to));
  body.push_back(MakeExpr(Call("std::swap", {Name(from), Name(to)})));
  Stmt steps = time;
  StmtList copy = {*step->copy};
  Substitute(copy, step->next, Name(from));
  steps.body = std::move(body);
  const Expr now = PointerTo(site.kernel, step->now);
  return WithLoop(
      site, time.name,
      {MakeDecl(element + "*", from, now),
       MakeDecl(element + "*", to, PointerTo(site.kernel, step->next)),
       std::move(steps),
       MakeIf(Binary("!=", Name(from), now), std::move(copy))});
}

}  // namespace coppice::agents::catalogue
