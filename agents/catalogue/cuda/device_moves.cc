#include "agents/catalogue/cuda/device_moves.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/cuda/product.h"
#include "agents/catalogue/move_list.h"
#include "agents/catalogue/print.h"
#include "store/records/tuning.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr double kLeastShare = 0.02;  // Of the work, to be worth a move.
constexpr double kUnknownTrips = 64.0;
constexpr double kFewBlocks = 132.0;  // Multiprocessors of an H100 or H200.

// A launch's expression with these axes.
std::optional<std::int64_t> Evaluate(const Expr& expr, const Constants& axes) {
  if (expr.kind != ExprKind::kCall && expr.kind != ExprKind::kBinary) {
    return ValueOf(expr, axes);
  }
  const bool call = expr.kind == ExprKind::kCall;
  std::vector<std::int64_t> values;
  for (std::size_t i = call ? 1 : 0; i < expr.args.size(); ++i) {
    const auto value = Evaluate(expr.args[i], axes);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const std::string name = call ? CalledFunction(expr) : expr.text;
  if (name == "int32" && values.size() == 1) return values[0];
  if (values.size() != 2) return std::nullopt;
  if (name == "min") return std::min(values[0], values[1]);
  if (name == "max") return std::max(values[0], values[1]);
  if (name == "ceil_div" && values[1] > 0) {
    return (values[0] + values[1] - 1) / values[1];
  }
  return call ? std::nullopt
              : ValueOf(Binary(name, Number(values[0]), Number(values[1])), {});
}

std::vector<Constants> AllAxes(const Setting& setting) {
  std::vector<Constants> all = setting.sizes;
  if (all.empty()) all.emplace_back();
  for (Constants& axes : all) {
    axes.insert(setting.constants.begin(), setting.constants.end());
  }
  return all;
}

double ProductOf(const std::vector<Expr>& dimensions, const Constants& axes) {
  double product = 1.0;
  for (const Expr& dimension : dimensions) {
    product *= static_cast<double>(Evaluate(dimension, axes).value_or(0));
  }
  return product;
}

// Steps of one thread.
double Steps(const StmtList& list, const Constants& sizes) {
  double steps = 1.0;
  const Constants known = WithDerived(sizes, list);
  for (const Stmt& stmt : list) {
    double once = Steps(stmt.body, known) + Steps(stmt.orelse, known) - 2.0;
    if (stmt.kind == StmtKind::kFor) {
      const auto low = ValueOf(*stmt.init, known);
      const auto high = ValueOf(stmt.bound, known);
      const auto step = ValueOf(stmt.step, known);
      double trips = kUnknownTrips;
      if (low && high && step && *step > 0) {
        trips = static_cast<double>(*high - *low) / static_cast<double>(*step);
      }
      once = std::max(0.0, trips) * Steps(stmt.body, known);
    }
    steps += std::max(0.0, once);
  }
  return steps;
}

// What the suggestions share.
class Suggester {
 public:
  Suggester(const DeviceSource& source, const DeviceKernel& kernel,
            const SourceLaunch& launch, const Setting& setting, double share,
            MoveList& moves)
      : kernel_(kernel),
        launch_(launch),
        setting_(setting),
        span_(SpanOf(source, kernel)),
        share_(share),
        guarded_(ReadGuarded(kernel)),
        moves_(moves) {}

  void All() {
    const bool flat = guarded_ && guarded_->variables.size() == 1;
    const bool plane = guarded_ && guarded_->variables.size() == 2;
    Shapes(plane);
    if (flat && ContainsLoop(guarded_->body)) Rows();
    if (flat && !ContainsLoop(guarded_->body)) Elements();
    if (KindOfProduct(kernel_).is_product) Products();
    if (plane) {
      Add({"exchange", {}}, 5.0, "Transpose through a tile in shared memory",
          ", and its loads or its stores jump from row to row");
    }
    if (guarded_) Coarser();
    InPlace();
  }

 private:
  void Add(Technique technique, double gain, std::string what,
           const std::string& why) {
    technique.args.insert(technique.args.begin(), kernel_.name);
    moves_.Add(span_, catalogue::Print(technique), gain * share_,
               std::move(what),
               "the kernel " + Quoted(kernel_.name) + " does about " +
                   Percent(share_) + " of the work" + why);
  }

  void Shapes(bool plane) {
    const std::string why =
        ", and how many threads share a multiprocessor's "
        "caches and registers is set by its blocks";
    if (plane) {
      for (const auto& [x, y] : {std::pair("32", "8"), std::pair("32", "4"),
                                 std::pair("32", "16"), std::pair("64", "4")}) {
        Add({"threads", {x, y}}, 0.8,
            "Give a block " + std::string(x) + " x " + y + " threads", why);
      }
      return;
    }
    for (const char* threads : {"64", "128", "256", "512"}) {
      Add({"threads", {threads}}, 0.5,
          "Give a block " + std::string(threads) + " threads", why);
    }
  }

  void Rows() {
    const std::string why = ", and neighbouring threads read rows far apart";
    for (const char* lanes : {"32", "128", "256", "512"}) {
      Add({"rows", {lanes}}, 5.0,
          "Share each row among " + std::string(lanes) + " threads", why);
    }
  }

  void Elements() {
    for (const char* count : {"4", "8", "2"}) {
      Add({"vector", {count}}, 2.0,
          "Load and store " + std::string(count) + " elements at once",
          " and moves memory, which wide accesses do with fewer instructions");
    }
    for (const char* blocks : {"528", "1056", "2112"}) {
      Add({"bins", {blocks}}, 5.0, "Count in shared memory first",
          ", and all its threads add to the same few numbers");
      Add({"stride", {blocks}}, 0.6,
          "Let " + std::string(blocks) + " blocks walk over all elements",
          ", and starting a thread for one element costs as much as it does");
    }
  }

  void Products() {
    const std::string why =
        ", and every thread loads a row and a column that its neighbours load "
        "too";
    static const std::vector<std::vector<std::string>> kTiles = {
        {"32", "32", "32", "2", "2"},   {"64", "64", "16", "4", "4"},
        {"128", "64", "16", "8", "4"},  {"128", "128", "8", "8", "8"},
        {"128", "128", "16", "8", "8"}, {"32", "32", "16", "1", "1"}};
    for (const auto& sizes : kTiles) {
      const std::string what =
          "Compute " + sizes[0] + " x " + sizes[1] +
          " results in a block from tiles in shared memory, " + sizes[3] +
          " x " + sizes[4] + " in each thread's registers";
      const double gain = (sizes[3] == "1" ? 3.5 : 5.0) * Fit(sizes);
      Add({"tile", sizes}, gain, what, why);
      Add({"tile", Wide(sizes)}, gain, what + ", with wide loads", why);
    }
    if (!KindOfProduct(kernel_).narrow) return;
    // Their sizes are tuned.
    for (const auto& [rows, columns] :
         {std::pair("128", "64"), std::pair("128", "128"),
          std::pair("64", "128")}) {
      Add({"wgmma", {rows, columns, "4"}}, 9.0,
          "Multiply on tensor cores, four warps together, " +
              std::string(rows) + " x " + columns +
              " results in a block, and copy tiles ahead",
          why);
    }
    static const std::vector<std::vector<std::string>> kMmas = {
        {"128", "64", "32", "32", "32", "4"},
        {"128", "128", "32", "64", "32", "4"}};
    for (const auto& sizes : kMmas) {
      Add({"mma", sizes}, 8.0 * Fit(sizes),
          "Multiply on tensor cores, " + sizes[0] + " x " + sizes[1] +
              " results in a block, and copy " + sizes[5] + " tiles ahead",
          why);
    }
    static const std::vector<std::vector<std::string>> kTensors = {
        {"64", "64"}, {"128", "64"}, {"64", "128"}, {"128", "128"}};
    for (const auto& sizes : kTensors) {
      const std::string what = "Multiply on tensor cores, " + sizes[0] + " x " +
                               sizes[1] + " results in a block";
      Add({"tensor", sizes}, 5.0 * Fit(sizes), what, why);
      Add({"tensor", Wide(sizes)}, 6.0 * Fit(sizes), what + ", with wide loads",
          why);
    }
  }

  static std::vector<std::string> Wide(std::vector<std::string> sizes) {
    sizes.emplace_back("wide");
    return sizes;
  }

  // Less if such blocks would leave multiprocessors idle.
  double Fit(const std::vector<std::string>& sizes) const {
    const auto now = static_cast<double>(ThreadsOf(launch_, 'x').value_or(1) *
                                         ThreadsOf(launch_, 'y').value_or(1));
    const double made = std::stod(sizes[0]) * std::stod(sizes[1]);
    return BlocksOf(launch_, setting_) * now / made < kFewBlocks ? 0.6 : 1.0;
  }

  void Coarser() {
    std::vector<std::string> names;
    for (const ThreadVariable& v : guarded_->variables) names.push_back(v.name);
    for (const Stmt& stmt : guarded_->prologue) {
      if (stmt.init->text == "%") names.push_back(stmt.name);
    }
    const bool loops = ContainsLoop(guarded_->body);
    for (const std::string& name : names) {
      for (const char* count : {"2", "4", "8"}) {
        Add({"coarsen", {name, count}}, loops ? 2.0 : 0.4,
            "Take " + std::string(count) + " values of " + Quoted(name) +
                " in one thread",
            ", and what does not depend on " + Quoted(name) +
                " is loaded again for each of them");
      }
    }
  }

  void InPlace() {
    const bool loops = ContainsLoop(kernel_.body);
    Add({"restrict", {}}, loops ? 0.8 : 0.3,
        "Promise that the arrays do not overlap",
        ", and without that loads have to wait for stores");
    VisitStmts(kernel_.body, [&](const Stmt& stmt) {
      if (stmt.kind != StmtKind::kFor || ContainsLoop(stmt.body)) return;
      for (const char* count : {"4", "8", "16"}) {
        Add({"unroll", {stmt.name, count}}, 0.8,
            "Unroll the loop over " + Quoted(stmt.name) + " by " + count,
            ", and more loads at once hide more of their latency");
      }
    });
    Add({"math", {}}, 0.7, "Use the hardware's functions",
        ", and the library's are exact to the last bits");
  }

  const DeviceKernel& kernel_;
  const SourceLaunch& launch_;
  const Setting& setting_;
  const Lines span_;
  const double share_;
  const std::optional<Guarded> guarded_;
  MoveList& moves_;
};

// Launches may use the numbers that the source leaves to be tuned.
Setting WithTuned(Setting setting, const std::string& source) {
  const auto numbers = TuningParametersOf(source);
  if (!numbers) return setting;
  for (const TuningParameter& number : *numbers) {
    setting.constants.emplace(number.name, number.choices[number.chosen]);
  }
  return setting;
}

}  // namespace

double WorkOf(const DeviceKernel& kernel, const SourceLaunch& launch,
              const Setting& setting) {
  double work = 0.0;
  const std::vector<Constants> all = AllAxes(setting);
  for (const Constants& axes : all) {
    Constants sizes;
    const std::size_t count =
        std::min(kernel.params.size(), launch.arguments.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto value = Evaluate(launch.arguments[i], axes)) {
        sizes[kernel.params[i].name] = *value;
      }
    }
    work += ProductOf(launch.grid, axes) * ProductOf(launch.block, axes) *
            Steps(kernel.body, sizes);
  }
  return work / static_cast<double>(all.size());
}

double BlocksOf(const SourceLaunch& launch, const Setting& setting) {
  double blocks = 0.0;
  const std::vector<Constants> all = AllAxes(setting);
  for (const Constants& axes : all) blocks += ProductOf(launch.grid, axes);
  return blocks / static_cast<double>(all.size());
}

std::vector<Move> SuggestDeviceMoves(const std::string& source,
                                     const Setting& setting) {
  const auto parsed = ParseDeviceSource(source);
  if (!parsed) return {};
  const Setting known = WithTuned(setting, source);
  std::vector<std::pair<const DeviceKernel*, const SourceLaunch*>> kernels;
  double total = 0.0;
  for (const DeviceKernel& kernel : parsed->kernels) {
    const SourceLaunch* launch = parsed->OnlyLaunch(kernel.name);
    if (launch == nullptr) continue;
    kernels.emplace_back(&kernel, launch);
    total += WorkOf(kernel, *launch, known);
  }
  MoveList moves;
  for (const auto& [kernel, launch] : kernels) {
    const double share =
        total > 0.0 ? WorkOf(*kernel, *launch, known) / total : 0.0;
    if (share < kLeastShare) continue;
    Suggester(*parsed, *kernel, *launch, known, share, moves).All();
  }
  return moves.Take();
}

std::optional<Lines> WholeDeviceSpan(const std::string& source) {
  const auto parsed = ParseDeviceSource(source);
  if (!parsed || parsed->kernels.empty()) return std::nullopt;
  Lines whole = SpanOf(*parsed, parsed->kernels[0]);
  for (const DeviceKernel& kernel : parsed->kernels) {
    const Lines span = SpanOf(*parsed, kernel);
    whole.first = std::min(whole.first, span.first);
    whole.last = std::max(whole.last, span.last);
  }
  for (const SourceLaunch& launch : parsed->launches) {
    whole.first = std::min(whole.first, launch.line);
    whole.last = std::max(whole.last, launch.line);
  }
  return whole;
}

}  // namespace coppice::agents::catalogue::cuda
