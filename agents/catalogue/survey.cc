#include "agents/catalogue/survey.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agents/catalogue/aliases.h"

namespace coppice::agents::catalogue {
namespace {

constexpr double kUnknownTrips = 64.0;
constexpr double kLibraryCall = 20.0;  // In units of an addition.
constexpr double kDivision = 4.0;
constexpr double kLaneSpeed = 8.0;

bool IsLibraryCall(const Expr& expr) {
  static const std::set<std::string> kExpensive = {
      "exp", "tanh", "erf", "log", "pow", "sin", "cos", "log1p", "expm1"};
  return kExpensive.contains(CalledFunction(expr));
}

double CostOf(const Expr& whole) {
  double cost = 0.0;
  Visit(whole, [&](const Expr& e) {
    if (e.kind == ExprKind::kCall) cost += IsLibraryCall(e) ? kLibraryCall : 2;
    if (e.kind == ExprKind::kBinary) cost += e.text == "/" ? kDivision : 0.5;
    if (e.kind == ExprKind::kIndex) cost += 1.0;
  });
  return cost;
}

// A comparison of known sizes.
std::optional<bool> Holds(const Expr& condition, const Constants& sizes) {
  if (condition.kind != ExprKind::kBinary) return std::nullopt;
  const auto left = ValueOf(condition.args[0], sizes);
  const auto right = ValueOf(condition.args[1], sizes);
  if (!left || !right) return std::nullopt;
  if (condition.text == ">=") return *left >= *right;
  if (condition.text == "<") return *left < *right;
  return std::nullopt;
}

double TripsOf(const Stmt& loop, const Constants& sizes) {
  const auto low = ValueOf(*loop.init, sizes);
  const auto high = ValueOf(loop.bound, sizes);
  const auto step = ValueOf(loop.step, sizes);
  if (!low || !high || !step || *step <= 0) return kUnknownTrips;
  return std::max(0.0, static_cast<double>(*high - *low + *step - 1) /
                           static_cast<double>(*step));
}

}  // namespace

std::map<std::string, int> LibraryCalls(const StmtList& list) {
  std::map<std::string, int> calls;
  VisitParts(list, [&](const Expr& e) {
    if (IsLibraryCall(e)) ++calls[CalledFunction(e)];
  });
  return calls;
}

Survey::Survey(const Kernel& kernel, const Setting& setting)
    : kernel_(kernel), site_(MakeSite(kernel, kernel.body, setting)) {
  std::vector<Constants> all_sizes;
  for (Constants sizes : setting.sizes) {
    sizes.insert(site_.constants.begin(), site_.constants.end());
    all_sizes.push_back(WithDerived(std::move(sizes), kernel.body));
  }
  if (all_sizes.empty()) all_sizes.push_back(site_.constants);
  double total = 0.0;
  for (const Constants& sizes : all_sizes) {
    total += Cost(kernel.body, sizes, 1.0);
  }
  std::vector<const Stmt*> outer;
  Walk(kernel.body, outer, false, false);
  for (LoopView& view : loops_) {
    view.share = total > 0.0 ? costs_[view.loop] / total : 0.0;
    view.least_trips = least_trips_[view.loop];
    view.trips = trips_[view.loop] / static_cast<double>(std::max<std::size_t>(
                                         all_sizes.size(), 1));
  }
}

// `times` is how often the list runs; each loop's cost is noted on the way.
double Survey::Cost(const StmtList& list, const Constants& sizes,
                    double times) {
  double total = 0.0;
  const Constants here = WithDerived(sizes, list);
  for (const Stmt& stmt : list) {
    double cost = 0.0;
    if (stmt.init) cost += times * CostOf(*stmt.init);
    if (stmt.kind == StmtKind::kExpr || stmt.kind == StmtKind::kIf) {
      cost += times * CostOf(stmt.expr);
    }
    if (stmt.kind == StmtKind::kFor) {
      const double trips = TripsOf(stmt, here);
      double speed = HasPragma(stmt, "simd") ? kLaneSpeed : 1.0;
      if (HasPragma(stmt, "omp parallel")) speed *= Threads();
      cost =
          Cost(stmt.body, here, times * trips / speed) + times * trips / speed;
      costs_[&stmt] += cost;
      trips_[&stmt] += trips;
      const auto [least, first] = least_trips_.try_emplace(&stmt, trips);
      if (!first) least->second = std::min(least->second, trips);
    } else {
      const auto taken = Holds(stmt.expr, here);
      if (taken != false) cost += Cost(stmt.body, here, times);
      if (taken != true) cost += Cost(stmt.orelse, here, times);
    }
    total += cost;
  }
  return total;
}

void Survey::Walk(const StmtList& list, std::vector<const Stmt*>& outer,
                  bool lanes, bool threaded) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Stmt& stmt = list[i];
    if (stmt.kind != StmtKind::kFor) {
      Walk(stmt.body, outer, lanes, threaded);
      Walk(stmt.orelse, outer, lanes, threaded);
      continue;
    }
    LoopView view;
    view.loop = &stmt;
    view.outer = outer;
    view.siblings = &list;
    view.position = i;
    view.lines = {stmt.first_line, stmt.last_line};
    view.innermost = !ContainsLoop(stmt.body);
    view.lanes = lanes || IsStrip(stmt);
    view.threaded = threaded || HoldsThreads(stmt);
    view.test = TestIndependence(stmt, site_.definitions);
    if (auto why = TwoNamesOfOne(kernel_.body, {stmt}); !why.empty()) {
      view.test = {};
      view.test.why_not = std::move(why);
    }
    loops_.push_back(view);
    outer.push_back(&stmt);
    Walk(stmt.body, outer, view.lanes,
         threaded || HasPragma(stmt, "omp parallel"));
    outer.pop_back();
  }
}

}  // namespace coppice::agents::catalogue
