#include "agents/catalogue/recipes.h"

#include <limits>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/pack.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/survey.h"

namespace coppice::agents::catalogue {
namespace {

// Steps done one after the other on a span; those that do not apply are left
// out.
class Cook {
 public:
  explicit Cook(const Site& site) : site_(site) {}

  bool Do(const std::string& name, std::vector<std::string> args) {
    auto outcome = Apply(site_, Technique{name, std::move(args)});
    if (!outcome) return false;
    site_.span = std::move(outcome->span);
    for (auto& helper : outcome->helpers) {
      result_.helpers.push_back(std::move(helper));
    }
    site_.taken.merge(DeclaredNames(site_.span));
    ++done_;
    return true;
  }

  const StmtList& Span() const { return site_.span; }

  Outcome Serve() {
    if (done_ == 0) return NoReason("no step of the recipe applies");
    result_.span = std::move(site_.span);
    return std::move(result_);
  }

 private:
  Site site_;
  Rewritten result_;
  int done_ = 0;
};

// The width, at most `widest`, whose strips do the loops of all workloads with
// the fewest operations, the last strip filled up.  One operation takes
// `lanes` iterations; what a strip costs beside is `overhead` operations.
std::int64_t Fitting(const std::vector<std::int64_t>& lengths,
                     std::int64_t widest, std::int64_t lanes, double overhead) {
  if (lengths.empty()) return widest;
  std::int64_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (const std::int64_t width : {64, 48, 32, 16, 8, 6, 4, 2}) {
    double work = 0.0;
    bool fits = width <= widest;
    for (const std::int64_t length : lengths) {
      fits &= length >= width;
      const std::int64_t strips = (length + width - 1) / width;
      const std::int64_t operations = (width + lanes - 1) / lanes;
      work += static_cast<double>(strips) *
              (static_cast<double>(operations) + overhead) /
              static_cast<double>(length);
    }
    if (fits && work < least) {
      least = work;
      best = width;
    }
  }
  return best;
}

constexpr std::int64_t kVectorLanes = 16;
constexpr double kColumnOverhead = 0.15;
constexpr double kRowOverhead = 3.0;  // The loads that rows share.

// The last loop over the variable on top of the span: copies stand before it.
const Stmt* FindNest(const StmtList& span, const std::string& variable) {
  const Stmt* nest = nullptr;
  for (const Stmt& stmt : span) {
    if (stmt.kind == StmtKind::kFor && stmt.name == variable) nest = &stmt;
  }
  return nest;
}

std::string TailFor(const StmtList& span, const std::string& variable) {
  const Stmt* loop = FindLoop(span, variable);
  return loop != nullptr && CanOverlap(*loop) ? "overlap" : "masked";
}

}  // namespace

DotLoops FindDotLoops(const Stmt& nest, const Definitions& definitions) {
  DotLoops loops;
  std::vector<const Stmt*> independent;
  for (const Stmt* at = &nest; at != nullptr;) {
    const Independence test = TestIndependence(*at, definitions);
    if (!ContainsLoop(at->body)) {
      const Strides strides = StridesOf(*at, definitions);
      if (independent.size() >= 2 && test.holds &&
          test.reductions.size() == 1 && strides.other == 0 &&
          strides.unit >= 2) {
        loops.columns = independent.back()->name;
        loops.rows = independent[independent.size() - 2]->name;
        loops.fold = at->name;
      }
      return loops;
    }
    if (test.Fully() && IntegerValue(at->step) == 1) independent.push_back(at);
    const Stmt* inner = nullptr;
    for (const Stmt& stmt : at->body) {
      if (stmt.kind != StmtKind::kFor) continue;
      if (inner != nullptr) return loops;  // Several: no single product.
      inner = &stmt;
    }
    at = inner;
  }
  return loops;
}

Outcome RegisterBlock(const Site& site, const Stmt& loop,
                      const Technique& technique) {
  const std::string rows = technique.Arg(1);
  if (!technique.IntArg(1) || !technique.IntArg(2)) {
    return NoReason("there is no such loop here");
  }
  if (HoldsStrips(loop.body)) return NoReason("the nest holds strips");
  Cook cook(site);
  cook.Do("pad", {});
  const Stmt* nest = FindLoop(cook.Span(), loop.name);
  const Packable packable = FindPackable(*nest, site.definitions);
  if (!packable.array.empty() &&
      cook.Do("pack", {packable.array, packable.loop})) {
    nest = FindNest(cook.Span(), loop.name);
  }
  if (const auto loops = FindBlockLoops(*nest, site.definitions)) {
    const std::string column_loop = loops->columns->name;
    const std::string row_loop =
        loops->rows != nullptr ? loops->rows->name : "";
    const std::int64_t width =
        Fitting(TripsOf(site, *loops->columns), *technique.IntArg(2),
                kVectorLanes, kColumnOverhead);
    const std::int64_t height =
        loops->rows == nullptr ? 1
                               : Fitting(TripsOf(site, *loops->rows),
                                         *technique.IntArg(1), 1, kRowOverhead);
    cook.Do("jam", {column_loop, std::to_string(width),
                    TailFor(cook.Span(), column_loop)});
    if (height > 1) {
      const std::string tail = TailFor(cook.Span(), row_loop);
      cook.Do("jam", {row_loop, std::to_string(height),
                      tail == "overlap" ? "overlap" : "scalar"});
    }
    return cook.Serve();
  }
  const DotLoops dot = FindDotLoops(*nest, site.definitions);
  if (dot.fold.empty()) return NoReason("the nest is no product");
  cook.Do("accumulate", {dot.fold, "16"});
  cook.Do("jam", {dot.columns, "4", TailFor(cook.Span(), dot.columns)});
  cook.Do("jam",
          {dot.rows, rows == "8" ? "6" : "4", TailFor(cook.Span(), dot.rows)});
  return cook.Serve();
}

Outcome Rowwise(const Site& site, const Stmt& loop,
                const Technique& technique) {
  if (!technique.IntArg(1)) return NoReason("there is no such loop here");
  if (HoldsStrips(loop.body)) return NoReason("the nest holds strips");
  Cook cook(site);
  for (const auto& [function, times] : LibraryCalls({loop})) {
    cook.Do("math", {function});
  }
  cook.Do("accumulate", {"*", technique.Arg(1), "cheap"});
  cook.Do("simd", {"*"});
  return cook.Serve();
}

}  // namespace coppice::agents::catalogue
