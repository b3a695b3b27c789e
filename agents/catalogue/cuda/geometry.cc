#include "agents/catalogue/cuda/geometry.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/parse.h"

namespace coppice::agents::catalogue::cuda {
namespace {

std::size_t IndexOf(char dimension) {
  return static_cast<std::size_t>(dimension - 'x');
}

// Bounds from `v < e`, and from `v <= w` for a variable w that has one.
bool ReadBounds(const Expr& guard, std::vector<ThreadVariable>& variables) {
  const std::vector<Expr> parts = PartsOf(guard, "&&");
  std::size_t found = 0;
  for (const char* relation : {"<", "<="}) {
    for (const Expr& part : parts) {
      if (part.kind != ExprKind::kBinary || part.text != relation) continue;
      for (ThreadVariable& variable : variables) {
        if (!IsName(part.args[0], variable.name)) continue;
        Expr bound = part.args[1];
        if (part.text == "<=") {
          const auto other = std::find_if(
              variables.begin(), variables.end(),
              [&](const ThreadVariable& v) { return IsName(bound, v.name); });
          if (other == variables.end() || other->bound.text.empty()) continue;
          bound = other->bound;
        }
        variable.bound = std::move(bound);
        ++found;
      }
    }
  }
  return found == variables.size();
}

}  // namespace

const ThreadVariable* Guarded::Find(char dimension) const {
  for (const ThreadVariable& variable : variables) {
    if (variable.dimension == dimension) return &variable;
  }
  return nullptr;
}

std::optional<Guarded> ReadGuarded(const DeviceKernel& kernel) {
  if (kernel.body.empty() || ContainsRaw(kernel.body)) return std::nullopt;
  const Stmt& last = kernel.body.back();
  if (last.kind != StmtKind::kIf || !last.orelse.empty()) return std::nullopt;
  Guarded guarded;
  guarded.guard = last.expr;
  guarded.body = last.body;
  for (auto stmt = kernel.body.begin(); stmt != kernel.body.end() - 1; ++stmt) {
    if (stmt->kind != StmtKind::kDecl || !stmt->init) return std::nullopt;
    bool is_index = false;
    for (const char dimension : {'x', 'y', 'z'}) {
      if (*stmt->init != ThreadIndex(dimension)) continue;
      guarded.variables.push_back({stmt->name, dimension, {}});
      is_index = true;
    }
    if (!is_index) guarded.prologue.push_back(*stmt);
  }
  if (guarded.variables.empty() ||
      !ReadBounds(guarded.guard, guarded.variables)) {
    return std::nullopt;
  }
  return guarded;
}

std::optional<Guarded> ReadFlat(const DeviceKernel& kernel) {
  auto guarded = ReadGuarded(kernel);
  const bool is_flat = guarded && guarded->variables.size() == 1 &&
                       guarded->Find('x') && guarded->guard.text == "<";
  return is_flat ? std::move(guarded) : std::nullopt;
}

std::optional<Guarded> ReadPlane(const DeviceKernel& kernel) {
  auto guarded = ReadGuarded(kernel);
  const bool is_plane = guarded && guarded->variables.size() == 2 &&
                        guarded->Find('x') && guarded->Find('y');
  return is_plane ? std::move(guarded) : std::nullopt;
}

std::optional<std::int64_t> ThreadsOf(const SourceLaunch& launch,
                                      char dimension) {
  if (IndexOf(dimension) >= launch.block.size()) return 1;
  return IntegerValue(launch.block[IndexOf(dimension)]);
}

std::optional<Expr> ExtentOf(const SourceLaunch& launch, char dimension) {
  const auto threads = ThreadsOf(launch, dimension);
  if (!threads || IndexOf(dimension) >= launch.grid.size()) return std::nullopt;
  const Expr& grid = launch.grid[IndexOf(dimension)];
  if (CalledFunction(grid) != "ceil_div" || grid.args.size() != 3 ||
      IntegerValue(grid.args[2]) != threads) {
    return std::nullopt;
  }
  return grid.args[1];
}

Expr CeilDiv(Expr extent, Expr by) {
  return Call("ceil_div", {std::move(extent), std::move(by)});
}

Expr ThreadIndex(char dimension) {
  const std::string d(1, dimension);
  return ParseExpr("blockIdx." + d + " * blockDim." + d + " + threadIdx." + d);
}

}  // namespace coppice::agents::catalogue::cuda
