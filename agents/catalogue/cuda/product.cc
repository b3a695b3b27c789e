#include "agents/catalogue/cuda/product.h"

#include <array>
#include <optional>
#include <utility>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/product_form.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kSharedBytes = 48 << 10;  // Without asking for more.
constexpr std::int64_t kWarpTile = 32;
constexpr std::int64_t kTensorDepth = 32;

std::string Text(std::int64_t value) { return std::to_string(value); }

// Says how one tile is filled.
struct Fill {
  std::string tile;
  Expr access;          // The element at (outer, fold), and
  Expr value;           // what of it the tile holds.
  std::string element;  // Its C type.
  std::string outer;    // Its variable: the row's or the column's.
  std::string start;    // Of the block's part of it.
  std::string bound;    // Of it.
  std::int64_t extent;  // Of the tile along it.
  bool fold_first;      // Whether memory goes along the fold.
  bool fold_major;      // tile[fold][outer], else tile[outer][fold].
  std::int64_t group;   // Elements that are loaded together.
};

std::string ZeroOf(const std::string& element) {
  if (element == "__half") return "__float2half(0.0f)";
  if (element == "__nv_bfloat16") return "__float2bfloat16(0.0f)";
  return "0.0f";
}

// All threads of the block load tile `fill` for the fold from `base`: a group
// at once where it is whole and aligned, else one by one, with zeros outside.
std::string FillLoop(const DeviceSite& site, const Product& product,
                     const Fill& fill, const std::string& base,
                     std::int64_t depth, std::int64_t threads) {
  const std::string& k = product.fold.name;
  const std::string n = Text(fill.group);
  const std::int64_t groups =
      (fill.fold_first ? depth : fill.extent) / fill.group;
  const std::string fast =
      "t % " + Text(groups) + (fill.group > 1 ? " * " + n : "");
  const std::string slow = "t / " + Text(groups);
  const std::string& in_fold = fill.fold_first ? fast : slow;
  const std::string& in_outer = fill.fold_first ? slow : fast;
  const auto inside = [&](const std::string& further) {
    return fill.outer + (fill.fold_first ? "" : further) + " < " + fill.bound +
           " && " + k + (fill.fold_first ? further : "") + " < " +
           Print(product.fold.bound);
  };
  const auto place = [&](const std::string& further) {
    const std::string fold = in_fold + (fill.fold_first ? further : "");
    const std::string outer = in_outer + (fill.fold_first ? "" : further);
    return fill.tile + (fill.fold_major ? "[" + fold + "][" + outer + "]"
                                        : "[" + outer + "][" + fold + "]");
  };
  const std::string head =
      "    for (int t = threadIdx.x; t < " +
      Text(depth * fill.extent / fill.group) + "; t += " + Text(threads) +
      ") {\n      int " + fill.outer + " = " + fill.start + " + " + in_outer +
      ";\n      int " + k + " = " + base + " + " + in_fold + ";\n";
  const std::string array = ArrayName(fill.access);
  const auto value_of = [&](const std::string& held) {
    return Print(Exchanged(fill.value, fill.access, Name(held)));
  };
  if (fill.group == 1) {
    return head + "      " + place("") + " = " + inside("") + " ? " +
           Print(fill.value) + " : " +
           (fill.value == fill.access ? ZeroOf(fill.element) : "0.0f") +
           ";\n    }\n";
  }
  const std::string at = site.Fresh("at");
  const std::string chunk = site.Fresh("chunk");
  const std::string e = site.Fresh("element");
  const std::string each =
      "for (int " + e + " = 0; " + e + " < " + n + "; ++" + e + ") {\n";
  const std::string type = "Pack<" + fill.element + ", " + n + ">";
  return head + "      int " + at + " = " + Print(fill.access.args[1]) +
         ";\n      " + type + " " + chunk + ";\n      if (" +
         inside(" + " + Text(fill.group - 1)) + " && " + at + " % " + n +
         " == 0) {\n        " + chunk + " = *reinterpret_cast<const " + type +
         "*>(" + array + " + " + at + ");\n      } else {\n        " + each +
         "          " + chunk + ".v[" + e + "] = " + inside(" + " + e) + " ? " +
         array + "[" + at + " + " + e + "] : " + ZeroOf(fill.element) +
         ";\n        }\n      }\n" + "#pragma unroll\n      " + each +
         "        " + place(" + " + e) + " = " +
         value_of(chunk + ".v[" + e + "]") + ";\n      }\n    }\n";
}

Fill FillOf(const DeviceSite& site, const Product& product, const Expr& factor,
            const char* tile) {
  Fill fill{};
  fill.tile = site.Fresh(tile);
  fill.access = AccessesIn(factor)[0];
  fill.value = factor;
  const Param* param = site.kernel.FindParam(ArrayName(fill.access));
  fill.element = param == nullptr ? "float" : param->Element();
  fill.fold_first = HasUnitStride(fill.access, product.fold.name);
  fill.fold_major = true;
  fill.group = 1;
  return fill;
}

// Groups of 16 bytes, if memory goes along what is filled fastest.
void Widen(const Technique& technique, Fill& fill) {
  if (technique.args.back() != "wide") return;
  if (!fill.fold_first && !HasUnitStride(fill.access, fill.outer)) return;
  fill.group = 16 / BytesOf(fill.element);
}

// The two fills, left and right.
std::pair<Fill, Fill> FillsOf(const DeviceSite& site, const Product& product,
                              std::int64_t rows, std::int64_t columns,
                              const Technique& technique) {
  Fill left = FillOf(site, product, product.left, "left");
  left.outer = product.row;
  left.start = "blockIdx.y * " + Text(rows);
  left.bound = Print(product.rows);
  left.extent = rows;
  Fill right = FillOf(site, product, product.right, "right");
  right.outer = product.column;
  right.start = "blockIdx.x * " + Text(columns);
  right.bound = Print(product.columns);
  right.extent = columns;
  Widen(technique, left);
  Widen(technique, right);
  return {left, right};
}

void AddHelpers(const Technique& technique, DeviceOutcome& outcome) {
  if (outcome && technique.args.back() == "wide") {
    outcome->helpers.emplace_back(kPack);
  }
}

std::string FoldHead(const Product& product, const std::string& base,
                     std::int64_t depth) {
  return "  for (int " + base + " = 0; " + base + " < " +
         Print(product.fold.bound) + "; " + base + " += " + Text(depth) +
         ") {\n";
}

// Where in the block's tile the 32 x 32 of this warp begin.
struct WarpPlace {
  std::string row;
  std::string column;
};

WarpPlace PlaceOfWarp(std::int64_t columns) {
  const std::string across = Text(columns / kWarpTile);
  return {"warp / " + across + " * 32", "warp % " + across + " * 32"};
}

std::int64_t PitchOf(const Fill& fill) {  // With 8 to spread the banks.
  return (fill.fold_major ? fill.extent : kTensorDepth) + 8;
}

std::string TensorTile(const Fill& fill, const std::string& type) {
  const std::int64_t height = fill.fold_major ? kTensorDepth : fill.extent;
  return "  __shared__ alignas(32) " + type + " " + fill.tile + "[" +
         Text(height) + "][" + Text(PitchOf(fill)) + "];\n";
}

std::string Fragment(const char* matrix, const std::string& type,
                     bool row_major, const char* name) {
  return std::string("      nvcuda::wmma::fragment<nvcuda::wmma::") + matrix +
         ", 16, 16, 16, " + type +
         ", nvcuda::wmma::" + (row_major ? "row_major" : "col_major") + "> " +
         name + "[2];\n";
}

std::string LoadFragment(const Fill& fill, const std::string& fragment,
                         const std::string& at) {
  const std::string place =
      fill.fold_major ? "[d][" + at + "]" : "[" + at + "][d]";
  return "        nvcuda::wmma::load_matrix_sync(" + fragment + ", &" +
         fill.tile + place + ", " + Text(PitchOf(fill)) + ");\n";
}

// Adds the product of the tiles to the warp's sums.
std::string MultiplyTiles(const std::string& type, const Fill& left,
                          const Fill& right, const WarpPlace& warp) {
  return "    for (int d = 0; d < 32; d += 16) {\n" +
         Fragment("matrix_a", type, !left.fold_major, "a") +
         Fragment("matrix_b", type, right.fold_major, "b") +
         "      for (int u = 0; u < 2; ++u) {\n" +
         LoadFragment(left, "a[u]", warp.row + " + 16 * u") +
         LoadFragment(right, "b[u]", warp.column + " + 16 * u") +
         "      }\n"
         "      for (int u = 0; u < 2; ++u) {\n"
         "        for (int v = 0; v < 2; ++v) {\n"
         "          nvcuda::wmma::mma_sync(sums[u][v], a[u], b[v], "
         "sums[u][v]);\n"
         "        }\n      }\n    }\n";
}

// Through shared memory, for which thread holds which sum is not said.
std::string StoreSums(const Product& product, const Fill& left,
                      const Fill& right, const WarpPlace& warp) {
  return "  for (int u = 0; u < 2; ++u) {\n"
         "    for (int v = 0; v < 2; ++v) {\n"
         "      nvcuda::wmma::store_matrix_sync(&staged[warp][0][0], "
         "sums[u][v], 20,\n"
         "                                      "
         "nvcuda::wmma::mem_row_major);\n"
         "      __syncwarp();\n"
         "      for (int t = threadIdx.x % 32; t < 256; t += 32) {\n"
         "        int " +
         product.row + " = " + left.start + " + " + warp.row +
         " + 16 * u + t / 16;\n        int " + product.column + " = " +
         right.start + " + " + warp.column + " + 16 * v + t % 16;\n" +
         Epilogue(product, "staged[warp][t / 16][t % 16]", 8) +
         "      }\n      __syncwarp();\n    }\n  }\n";
}

// Rows and columns of a tile, its depth, and rows and columns of a thread.
std::optional<std::array<std::int64_t, 5>> SizesIn(const Technique& technique) {
  std::array<std::int64_t, 5> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto given = technique.IntArg(i + 1);
    if (!given || *given < 1 || *given > 256) return std::nullopt;
    sizes[i] = *given;
  }
  return sizes;
}

}  // namespace

ProductKind KindOfProduct(const DeviceKernel& kernel) {
  const auto product = ReadProduct(kernel);
  if (!product) return {};
  return {true, NarrowAccess(product->left) && NarrowAccess(product->right)};
}

DeviceOutcome TileProduct(const DeviceSite& site, const Technique& technique) {
  const auto product = ReadProduct(site.kernel);
  if (!product) return NoReason("it is not like a matrix product");
  const auto sizes = SizesIn(technique);
  if (!sizes) return NoReason("which sizes?");
  const auto [rows, columns, depth, u, v] = *sizes;
  const std::int64_t threads = rows / u * (columns / v);
  if (rows % u != 0 || columns % v != 0 || threads % 32 != 0 ||
      threads > 1024) {
    return NoReason("the parts do not make up a block of threads");
  }
  // Four more, so that a column of the tile is not in one bank.
  if (4 * depth * (rows + columns + 8) > kSharedBytes) {
    return NoReason("the tiles need more shared memory than there is");
  }
  const auto [left, right] = FillsOf(site, *product, rows, columns, technique);
  const std::string base = site.Fresh("base");
  const std::string sums = site.Fresh("sums");
  const std::string across = Text(columns / v);
  const std::string row_at = "threadIdx.x / " + across + " * " + Text(u);
  const std::string column_at = "threadIdx.x % " + across + " * " + Text(v);
  const auto tile = [rank = depth](const Fill& fill) {
    return "  __shared__ alignas(16) float " + fill.tile + "[" + Text(rank) +
           "][" + Text(fill.extent + 4) + "];\n";
  };
  std::string body =
      Print(product->guarded.prologue, 2) + tile(left) + tile(right) +
      "  float " + sums + "[" + Text(u) + "][" + Text(v) + "] = {};\n" +
      FoldHead(*product, base, depth) +
      FillLoop(site, *product, left, base, depth, threads) +
      FillLoop(site, *product, right, base, depth, threads) +
      "    __syncthreads();\n#pragma unroll\n"
      "    for (int d = 0; d < " +
      Text(depth) +
      "; ++d) {\n#pragma unroll\n"
      "      for (int u = 0; u < " +
      Text(u) +
      "; ++u) {\n#pragma unroll\n"
      "        for (int v = 0; v < " +
      Text(v) + "; ++v) {\n          " + sums + "[u][v] += " + left.tile +
      "[d][" + row_at + " + u] * " + right.tile + "[d][" + column_at +
      " + v];\n        }\n      }\n    }\n"
      "    __syncthreads();\n  }\n#pragma unroll\n"
      "  for (int u = 0; u < " +
      Text(u) +
      "; ++u) {\n#pragma unroll\n"
      "    for (int v = 0; v < " +
      Text(v) + "; ++v) {\n      int " + product->row + " = " + left.start +
      " + " + row_at + " + u;\n      int " + product->column + " = " +
      right.start + " + " + column_at + " + v;\n" +
      Epilogue(*product, sums + "[u][v]", 6) + "    }\n  }\n";
  auto outcome = WithLaunch(site, std::move(body), Number(rows),
                            Number(columns), Number(threads));
  AddHelpers(technique, outcome);
  return outcome;
}

DeviceOutcome TensorProduct(const DeviceSite& site,
                            const Technique& technique) {
  const auto product = ReadProduct(site.kernel);
  if (!product) return NoReason("it is not like a matrix product");
  const auto factors = FactorsForTensorCores(*product);
  if (!factors) {
    return NoReason("its factors are of no type of the tensor cores");
  }
  const auto rows = technique.IntArg(1);
  const auto columns = technique.IntArg(2);
  if (!rows || !columns || *rows % kWarpTile != 0 || *rows < kWarpTile ||
      *columns % kWarpTile != 0 || *columns < kWarpTile ||
      *rows * *columns > 1024 * 32) {
    return NoReason("a warp computes 32 x 32");
  }
  const std::string& type = factors->type;
  auto [left, right] = FillsOf(site, *product, *rows, *columns, technique);
  left.value = factors->left;
  right.value = factors->right;
  // As they lie in memory, so that stores to the tile meet few banks twice.
  left.fold_major = !left.fold_first;
  right.fold_major = !right.fold_first;
  const std::int64_t warps = *rows * *columns / (kWarpTile * kWarpTile);
  const std::int64_t threads = 32 * warps;
  const std::string base = site.Fresh("base");
  const WarpPlace warp = PlaceOfWarp(*columns);
  std::string body =
      Print(product->guarded.prologue, 2) + TensorTile(left, type) +
      TensorTile(right, type) + "  __shared__ alignas(32) float staged[" +
      Text(warps) +
      "][16][20];\n"
      "  int warp = threadIdx.x / 32;\n"
      "  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> "
      "sums[2][2];\n"
      "  for (int u = 0; u < 2; ++u) {\n"
      "    for (int v = 0; v < 2; ++v) {\n"
      "      nvcuda::wmma::fill_fragment(sums[u][v], 0.0f);\n"
      "    }\n  }\n" +
      FoldHead(*product, base, kTensorDepth) +
      FillLoop(site, *product, left, base, kTensorDepth, threads) +
      FillLoop(site, *product, right, base, kTensorDepth, threads) +
      "    __syncthreads();\n#pragma unroll\n" +
      MultiplyTiles(type, left, right, warp) + "    __syncthreads();\n  }\n" +
      StoreSums(*product, left, right, warp);
  auto outcome = WithLaunch(site, std::move(body), Number(*rows),
                            Number(*columns), Number(threads));
  if (outcome) outcome->header = "#include <mma.h>";
  AddHelpers(technique, outcome);
  return outcome;
}

}  // namespace coppice::agents::catalogue::cuda
