#include "agents/catalogue/pragmas.h"

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/scratch.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

std::string Clauses(const std::vector<Reduction>& reductions) {
  std::string clauses;
  for (const Reduction& r : reductions) {
    clauses += " reduction(" + r.op + ":" + r.scalar + ")";
  }
  return clauses;
}

// Gives each thread its own scratch, if that is what stands in the way.
bool GiveScratch(Stmt& loop, const Site& site, bool bold) {
  Stmt own = loop;
  const auto found = ScratchOf(loop, site.kernel, site.definitions, bold);
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    StmtList declared = Declared(*one, 1, site.Fresh(one->array + "_buffer"));
    own.body.insert(own.body.begin(), declared.begin(), declared.end());
  }
  if (!TestIndependence(own, site.definitions).holds) return false;
  loop = std::move(own);
  return true;
}

}  // namespace

bool RunsOnThreads(const Stmt& loop, const Site& site, bool bold) {
  Stmt own = loop;
  return GiveScratch(own, site, bold);
}

const Stmt* PerfectlyNested(const Stmt& loop) {
  const Stmt* inner = OnlyLoop(loop.body);
  if (inner == nullptr || Mentions(*inner->init, loop.name) ||
      Mentions(inner->bound, loop.name) || Mentions(inner->step, loop.name)) {
    return nullptr;
  }
  return inner;
}

Outcome Simd(const Site& site, const Stmt& loop, const Technique& technique) {
  if (ContainsLoop(loop.body)) return NoReason("the loop is no innermost one");
  if (HasPragma(loop, "simd")) return NoReason("the loop has the pragma");
  const Independence test = TestIndependence(loop, site.definitions);
  if (!test.holds && technique.Arg(1) != "bold") {
    return NoReason(test.why_not);
  }
  if (auto why = WhyNotFolded(site, loop, test.reductions); !why.empty()) {
    return NoReason(std::move(why));
  }
  Stmt made = loop;
  auto helpers = MaximaByValue(made.body);
  if (HasPragma(loop, "omp parallel for")) {
    std::string& pragma = made.pragmas.back();
    pragma.insert(pragma.find(" for") + 4, " simd");
  } else {
    made.pragmas.push_back("#pragma omp simd" + Clauses(test.reductions));
  }
  return WithLoop(site, loop.name, {std::move(made)}, std::move(helpers));
}

Outcome Parallel(const Site& site, const Stmt& loop,
                 const Technique& technique) {
  if (site.setting.threads < 2) return NoReason("there is only one thread");
  if (HoldsThreads(loop)) return NoReason("the loop runs on threads already");
  if (IsStrip(loop)) return NoReason("the loop is a strip");
  Independence test = TestIndependence(loop, site.definitions);
  Stmt made = loop;
  if (!test.holds) {
    for (const bool bold : {false, true}) {
      if (bold && technique.Arg(1) != "bold") return NoReason(test.why_not);
      if (GiveScratch(made, site, bold)) break;
    }
    test = TestIndependence(made, site.definitions);
    if (!test.holds && technique.Arg(1) != "bold") {
      return NoReason(test.why_not);
    }
  }
  if (auto why = WhyNotFolded(site, loop, test.reductions); !why.empty()) {
    return NoReason(std::move(why));
  }
  std::string pragma = "#pragma omp parallel for";
  if (technique.Arg(1) == "collapse") {
    const Stmt* inner = PerfectlyNested(made);
    if (inner == nullptr) return NoReason("no loop lies alone within it");
    // Iterations of both are shared out.
    const Independence within = TestIndependence(*inner, site.definitions);
    if (!within.holds) return NoReason(within.why_not);
    pragma += " collapse(2)";
  }
  if (HasPragma(loop, "omp simd")) {
    DropPragma(made, "omp simd");
    pragma += " simd";
  }
  made.pragmas.push_back(pragma + Clauses(test.reductions));
  return WithLoop(site, loop.name, {std::move(made)});
}

}  // namespace coppice::agents::catalogue
