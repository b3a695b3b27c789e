// exchange(kernel): a transposition through a tile in shared memory, so that
// both its loads and its stores go along memory.
//
// For a kernel of one assignment, y[...] = x[...], whose load has stride 1
// along the threads' x and whose store has stride 1 along their y.
#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;  // Of threads.

std::string ElementOf(const DeviceKernel& kernel, const std::string& array) {
  const Param* param = kernel.FindParam(array);
  return param == nullptr ? "" : param->Element();
}

// The loop over a thread's part of the tile: `row` and `column` are what its y
// and x count along.
std::string Pass(const std::string& row, const std::string& column,
                 const std::string& row_start, const std::string& column_start,
                 const std::string& guard, const std::string& statement) {
  const std::string step = std::to_string(kRows);
  return "  for (int r = threadIdx.y; r < " + std::to_string(kTile) +
         "; r += " + step + ") {\n    int " + row + " = " + row_start +
         " + r;\n    int " + column + " = " + column_start +
         " + threadIdx.x;\n    if (" + guard + ") {\n      " + statement +
         ";\n    }\n  }\n";
}

}  // namespace

DeviceOutcome Exchange(const DeviceSite& site, const Technique&) {
  const auto guarded = ReadPlane(site.kernel);
  if (!guarded) {
    return NoReason("its threads are not guarded along two dimensions");
  }
  const auto rows = ExtentOf(site.launch, 'y');
  const auto columns = ExtentOf(site.launch, 'x');
  if (!rows || !columns) {
    return NoReason("its grid does not follow from its block");
  }
  if (site.source.names.contains("r")) return NoReason("`r` is taken");
  if (guarded->body.size() != 1 || guarded->body[0].kind != StmtKind::kExpr ||
      guarded->body[0].expr.text != "=") {
    return NoReason("it is not one assignment");
  }
  const Expr& store = guarded->body[0].expr.args[0];
  const Expr& value = guarded->body[0].expr.args[1];
  const auto loads = AccessesIn(value);
  const std::string& i = guarded->Find('y')->name;
  const std::string& j = guarded->Find('x')->name;
  if (loads.size() != 1 || !HasUnitStride(loads[0], j) ||
      !HasUnitStride(store, i)) {
    return NoReason(
        "it does not load along one dimension and store along "
        "the other");
  }
  const std::string element = ElementOf(site.kernel, ArrayName(store));
  if (element.empty()) return NoReason("it stores to no parameter");
  const std::string tile = site.Fresh("tile");
  const std::string size = std::to_string(kTile);
  const std::string guard = Print(guarded->guard);
  const std::string i_start = "blockIdx.y * " + size;
  const std::string j_start = "blockIdx.x * " + size;
  DeviceEdit edit;
  edit.body = Print(guarded->prologue, 2) +
              // One column more, so that a column lies in 32 banks.
              "  __shared__ " + element + " " + tile + "[" + size + "][" +
              size + " + 1];\n" +
              Pass(i, j, i_start, j_start, guard,
                   tile + "[r][threadIdx.x] = " + Print(value)) +
              "  __syncthreads();\n" +
              Pass(j, i, j_start, i_start, guard,
                   Print(store) + " = " + tile + "[threadIdx.x][r]");
  edit.launch = site.launch;
  edit.launch->block = {Number(kTile), Number(kRows)};
  edit.launch->grid[0] = CeilDiv(*columns, Number(kTile));
  edit.launch->grid[1] = CeilDiv(*rows, Number(kTile));
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
