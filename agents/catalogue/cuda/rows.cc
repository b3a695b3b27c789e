// rows(kernel, lanes): several threads for each row, where the newcomer has
// one: neighbouring lanes read neighbouring elements, and what a loop folds is
// put together by warp shuffles.
//
// lanes is 32, a warp for each row, or more, a block for each row (then folds
// also go through shared memory).  Loops over the row must be independent but
// for sums, maxima and (with warps) running sums and the index of a maximum;
// whatever else a row's thread did, every lane does, and one lane stores.
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kThreads = 256;  // Of a block of warps.
constexpr int kIndent = 4;              // Of what the guard holds.

constexpr std::string_view kWarpSum =
    "// Sum over the warp, the same in every lane.\n"
    "__device__ float WarpSum(float value) {\n"
    "  for (int step = 16; step > 0; step /= 2) {\n"
    "    value += __shfl_xor_sync(0xffffffff, value, step);\n"
    "  }\n"
    "  return value;\n"
    "}\n";
constexpr std::string_view kWarpMax =
    "// Maximum over the warp, the same in every lane.\n"
    "__device__ float WarpMax(float value) {\n"
    "  for (int step = 16; step > 0; step /= 2) {\n"
    "    value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, step));\n"
    "  }\n"
    "  return value;\n"
    "}\n";
constexpr std::string_view kWarpScan =
    "// Sum of this lane's value and those of the lanes before it.\n"
    "__device__ float WarpScan(float value, int lane) {\n"
    "  for (int step = 1; step < 32; step *= 2) {\n"
    "    float before = __shfl_up_sync(0xffffffff, value, step);\n"
    "    if (lane >= step) value += before;\n"
    "  }\n"
    "  return value;\n"
    "}\n";

// The whole block's, through the sums or maxima of its warps.
std::string BlockFold(const std::string& fold) {
  // Minus infinity by its bits: NVRTC knows no INFINITY.
  const std::string rest =
      fold == "Sum" ? "0.0f" : "__int_as_float(0xff800000)";
  return "// " + std::string(fold == "Sum" ? "Sum" : "Maximum") +
         " over the block, the same in every thread.\n"
         "__device__ float Block" +
         fold +
         "(float value) {\n"
         "  __shared__ float parts[32];\n"
         "  value = Warp" +
         fold +
         "(value);\n"
         "  __syncthreads();\n"
         "  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;\n"
         "  __syncthreads();\n"
         "  return Warp" +
         fold +
         "(threadIdx.x % 32 < blockDim.x / 32\n"
         "                     ? parts[threadIdx.x % 32]\n"
         "                     : " +
         rest +
         ");\n"
         "}\n";
}

enum class Fold { kNone, kSum, kMax };

// What a statement `s += e` or `s = fmaxf(s, e)` does, and to which scalar s.
std::pair<Fold, std::string> FoldOf(const Stmt& stmt) {
  if (stmt.kind != StmtKind::kExpr || !IsAssignment(stmt.expr) ||
      stmt.expr.args[0].kind != ExprKind::kName) {
    return {Fold::kNone, ""};
  }
  const std::string& scalar = stmt.expr.args[0].text;
  const Expr& value = stmt.expr.args[1];
  if (stmt.expr.text == "+=" && !Mentions(value, scalar)) {
    return {Fold::kSum, scalar};
  }
  if (stmt.expr.text == "=" && CalledFunction(value) == "max" &&
      value.args.size() == 3 && IsName(value.args[1], scalar) &&
      !Mentions(value.args[2], scalar)) {
    return {Fold::kMax, scalar};
  }
  return {Fold::kNone, scalar};
}

class RowSharer {
 public:
  RowSharer(const DeviceSite& site, const Guarded& guarded, std::int64_t lanes)
      : site_(site), guarded_(guarded), warps_(lanes == kWarp) {
    lane_ = site.Fresh("lane");
  }

  // The guarded statements for one lane; nothing if they cannot be shared.
  std::optional<StmtList> Share() {
    StmtList result;
    for (const Stmt& stmt : guarded_.body) {
      bool shared = false;
      switch (stmt.kind) {
        case StmtKind::kDecl:
          shared = stmt.init.has_value();
          if (shared) {
            initial_[stmt.name] = *stmt.init;
            types_[stmt.name] = stmt.type;
            NoteAlone(*stmt.init);
          }
          result.push_back(stmt);
          break;
        case StmtKind::kFor:
          shared = Loop(stmt, result);
          break;
        case StmtKind::kExpr:
          shared = Single(stmt, result);
          break;
        case StmtKind::kComment:
          shared = true;
          result.push_back(stmt);
          break;
        default:
          break;
      }
      if (!shared) return std::nullopt;
    }
    if (!looped_ || !StoresAreOwn()) return std::nullopt;
    return result;
  }

  const std::string& Lane() const { return lane_; }
  std::vector<std::string> Helpers() const {
    std::vector<std::string> helpers;
    if (sums_) helpers.emplace_back(kWarpSum);
    if (maxima_) helpers.emplace_back(kWarpMax);
    if (scans_) helpers.emplace_back(kWarpScan);
    if (sums_ && !warps_) helpers.push_back(BlockFold("Sum"));
    if (maxima_ && !warps_) helpers.push_back(BlockFold("Max"));
    return helpers;
  }

 private:
  bool Loop(const Stmt& loop, StmtList& result) {
    looped_ = true;
    if (IntegerValue(loop.step) != 1 || !loop.pragmas.empty() ||
        ContainsLoop(loop.body)) {
      return false;
    }
    if (warps_ && (Running(loop, result) || Largest(loop, result))) return true;
    std::vector<std::pair<Fold, std::string>> folds;
    const std::set<std::string> local = DeclaredNames(loop.body);
    for (const Stmt& stmt : loop.body) {
      if (stmt.kind == StmtKind::kDecl) continue;
      if (stmt.kind != StmtKind::kExpr || !IsAssignment(stmt.expr))
        return false;
      if (stmt.expr.args[0].kind == ExprKind::kIndex) {
        NoteStore(loop, stmt.expr);
        continue;
      }
      const auto fold = FoldOf(stmt);
      if (local.contains(fold.second)) continue;
      if (fold.first == Fold::kNone) return false;
      folds.push_back(fold);
    }
    for (const auto& [fold, scalar] : folds) {
      if (UsesOf(loop.body, scalar) != (fold == Fold::kMax ? 2 : 1) ||
          !IsFloat(scalar)) {
        return false;
      }
      // Each lane starts with it.
      if (fold == Fold::kSum && !IsZero(scalar)) return false;
    }
    Stmt strided = loop;
    strided.init = Add(*loop.init, Name(lane_));
    strided.step = warps_ ? Number(kWarp) : ParseExpr("blockDim.x");
    result.push_back(std::move(strided));
    for (const auto& [fold, scalar] : folds) Combine(fold, scalar, result);
    NoteLoads(loop);
    return true;
  }

  void Combine(Fold fold, const std::string& scalar, StmtList& result) {
    (fold == Fold::kSum ? sums_ : maxima_) = true;
    const std::string helper = std::string(warps_ ? "Warp" : "Block") +
                               (fold == Fold::kSum ? "Sum" : "Max");
    result.push_back(
        MakeExpr(Binary("=", Name(scalar), Call(helper, {Name(scalar)}))));
    initial_.erase(scalar);
  }

  // `s += e; y[...] = s;`: a scan of 32 elements at a time.
  bool Running(const Stmt& loop, StmtList& result) {
    if (loop.body.size() != 2) return false;
    const auto [fold, scalar] = FoldOf(loop.body[0]);
    const Stmt& store = loop.body[1];
    if (fold != Fold::kSum || store.kind != StmtKind::kExpr ||
        store.expr.text != "=" || !IsName(store.expr.args[1], scalar) ||
        store.expr.args[0].kind != ExprKind::kIndex || !IsFloat(scalar)) {
      return false;
    }
    scans_ = true;
    NoteStore(loop, store.expr);
    NoteLoads(loop);
    const std::string first = site_.Fresh("first");
    const std::string value = site_.Fresh("value");
    const std::string bound = Print(loop.bound);
    const std::string j = loop.name;
    StmtList body = ParseStmts(
        "int " + j + " = " + first + " + " + lane_ + ";\n" + "float " + value +
        " = " + j + " < " + bound + " ? " + Print(loop.body[0].expr.args[1]) +
        " : 0.0f;\n" + value + " = WarpScan(" + value + ", " + lane_ + ");\n" +
        "if (" + j + " < " + bound + ") {\n" + Print(store.expr.args[0]) +
        " = " + scalar + " + " + value + ";\n}\n" + scalar +
        " += __shfl_sync(0xffffffff, " + value + ", 31);\n");
    Stmt blocks =
        MakeFor(first, *loop.init, loop.bound, Number(kWarp), std::move(body));
    blocks.type = "int";
    result.push_back(std::move(blocks));
    return true;
  }

  // `if (x[f(j)] > x[f(best)]) { best = j; }`: then the lanes compare theirs.
  bool Largest(const Stmt& loop, StmtList& result) {
    if (loop.body.size() != 1 || loop.body[0].kind != StmtKind::kIf) {
      return false;
    }
    const Stmt& test = loop.body[0];
    if (!test.orelse.empty() || test.body.size() != 1 ||
        test.body[0].kind != StmtKind::kExpr || test.expr.text != ">") {
      return false;
    }
    const Expr& assign = test.body[0].expr;
    if (assign.text != "=" || !IsName(assign.args[1], loop.name) ||
        assign.args[0].kind != ExprKind::kName) {
      return false;
    }
    const std::string& best = assign.args[0].text;
    if (Substituted(test.expr.args[0], loop.name, Name(best)) !=
        test.expr.args[1]) {
      return false;
    }
    NoteLoads(loop);
    Stmt strided = loop;
    strided.init = Add(*loop.init, Name(lane_));
    strided.step = Number(kWarp);
    result.push_back(std::move(strided));
    const std::string other = site_.Fresh("other");
    const std::string here = Print(test.expr.args[1]);
    const std::string there =
        Print(Substituted(test.expr.args[1], best, Name(other)));
    StmtList compare =
        ParseStmts("int " + other + " = __shfl_xor_sync(0xffffffff, " + best +
                   ", step);\n" + "if (" + there + " > " + here + " || " +
                   there + " == " + here + " && " + other + " < " + best +
                   ") {\n" + best + " = " + other + ";\n}\n");
    // A loop that halves is none of ours, so it is text.
    Stmt halving;
    halving.kind = StmtKind::kRaw;
    halving.text = "for (int step = 16; step > 0; step /= 2) {\n" +
                   Print(compare, kIndent + 2) + std::string(kIndent, ' ') +
                   "}";
    result.push_back(std::move(halving));
    return true;
  }

  // A statement outside loops: every lane computes, one stores.
  bool Single(const Stmt& stmt, StmtList& result) {
    if (!IsAssignment(stmt.expr)) return false;
    NoteAlone(stmt.expr.args[1]);
    if (stmt.expr.args[0].kind == ExprKind::kName) {
      initial_.erase(stmt.expr.args[0].text);
      result.push_back(stmt);
      return true;
    }
    if (stmt.expr.text != "=") return false;
    stored_alone_.insert(ArrayName(stmt.expr.args[0]));
    result.push_back(MakeIf(Binary("==", Name(lane_), Number(0)), {stmt}));
    return true;
  }

  void NoteStore(const Stmt& loop, const Expr& assignment) {
    stores_[ArrayName(assignment.args[0])].insert(
        Print(Substituted(assignment.args[0], loop.name, Name("$"))));
  }

  // What every lane loads, and no loop shares out.
  void NoteAlone(const Expr& value) {
    catalogue::Visit(value, [&](const Expr& e) {
      if (e.kind == ExprKind::kIndex) loaded_alone_.insert(ArrayName(e));
    });
  }

  // The helpers fold floats.
  bool IsFloat(const std::string& scalar) const {
    const auto type = types_.find(scalar);
    return type != types_.end() && type->second == "float";
  }

  void NoteLoads(const Stmt& loop) {
    VisitParts(loop.body, [&](const Expr& e) {
      if (e.kind != ExprKind::kIndex) return;
      loads_[ArrayName(e)].insert(Print(Substituted(e, loop.name, Name("$"))));
      starts_[ArrayName(e)].insert(Print(*loop.init));
    });
  }

  // What a lane loads of an array that is stored to, it has stored itself:
  // the element of the same number, in loops that start alike.
  bool StoresAreOwn() const {
    for (const auto& [array, places] : stores_) {
      if (places.size() != 1 || stored_alone_.contains(array) ||
          loaded_alone_.contains(array)) {
        return false;
      }
      const auto loads = loads_.find(array);
      if (loads == loads_.end()) continue;
      if (loads->second != places || starts_.at(array).size() != 1) {
        return false;
      }
    }
    return true;
  }

  bool IsZero(const std::string& scalar) const {
    const auto found = initial_.find(scalar);
    return found != initial_.end() && (found->second == Literal("0.0f") ||
                                       found->second == Literal("0.f"));
  }

  static int UsesOf(const StmtList& list, const std::string& name) {
    int uses = 0;
    VisitParts(list, [&](const Expr& e) { uses += IsName(e, name) ? 1 : 0; });
    return uses;
  }

  const DeviceSite& site_;
  const Guarded& guarded_;
  const bool warps_;
  std::string lane_;
  bool looped_ = false;
  bool sums_ = false;
  bool maxima_ = false;
  bool scans_ = false;
  std::map<std::string, Expr> initial_;  // Scalars not assigned since.
  // Element accesses by array, with $ for the loop's variable.
  std::map<std::string, std::set<std::string>> stores_;
  std::map<std::string, std::set<std::string>> loads_;
  std::map<std::string, std::set<std::string>> starts_;
  std::set<std::string> stored_alone_, loaded_alone_;
  std::map<std::string, std::string> types_;  // Of scalars.
};

}  // namespace

DeviceOutcome ShareRows(const DeviceSite& site, const Technique& technique) {
  const auto lanes = technique.IntArg(1);
  if (!lanes || *lanes < kWarp || *lanes > 1024 || *lanes % kWarp != 0) {
    return NoReason("a row has 32 lanes, or a multiple, up to 1024");
  }
  const auto guarded = ReadFlat(site.kernel);
  const auto rows = ExtentOf(site.launch, 'x');
  if (!guarded || !rows) return NoReason(kNotFlat);
  RowSharer sharer(site, *guarded, *lanes);
  const auto shared = sharer.Share();
  if (!shared) return NoReason("a loop over the row cannot be shared");
  const std::string& row = guarded->variables[0].name;
  const std::string index = Print(ThreadIndex('x'));
  DeviceEdit edit;
  edit.launch = site.launch;
  edit.helpers = sharer.Helpers();
  std::string body = Print(guarded->prologue, 2);
  if (*lanes == kWarp) {
    body += "  int " + row + " = (" + index + ") / 32;\n  int " +
            sharer.Lane() + " = threadIdx.x % 32;\n  if (" +
            Print(guarded->guard) + ") {\n" + Print(*shared, kIndent) + "  }\n";
    edit.launch->block = {Number(kThreads)};
    edit.launch->grid = {CeilDiv(Mul(*rows, Number(kWarp)), Number(kThreads))};
  } else {
    body += "  int " + row + " = blockIdx.x;\n  int " + sharer.Lane() +
            " = threadIdx.x;\n" + Print(*shared, 2);
    edit.launch->block = {Number(*lanes)};
    edit.launch->grid = {*rows};
  }
  edit.body = std::move(body);
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
