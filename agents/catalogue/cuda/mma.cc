#include "agents/catalogue/cuda/mma.h"

#include <algorithm>
#include <utility>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/mma_source.h"
#include "agents/catalogue/cuda/product_form.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kMostShared = 227 << 10;  // That a block may ask for.
constexpr std::int64_t kMostOfBlock = 256;       // With all registers for each.
constexpr std::int64_t kMostSums = 4096;         // Of a warp, in registers.

struct MmaShape {
  std::int64_t rows, columns, depth, u, v, stages;

  std::int64_t Threads() const { return rows / u * (columns / v) * 32; }
  std::int64_t Bytes() const {
    return std::max(stages * (rows + columns) * depth * 2,
                    rows * (columns + 8) * 4);
  }
};

// So that pieces of 16 bytes can be swapped within eight or four of a line.
bool IsTileSide(std::int64_t size) { return size == 32 || size % 64 == 0; }

tl::expected<MmaShape, std::string> ReadMmaShape(const Technique& technique) {
  std::int64_t size[6];
  for (std::size_t i = 0; i < 6; ++i) {
    const auto given = technique.IntArg(i + 1);
    if (!given || *given < 1 || *given > 256) return NoReason("which sizes?");
    size[i] = *given;
  }
  const MmaShape shape{size[0], size[1], size[2], size[3], size[4], size[5]};
  if (!IsTileSide(shape.rows) || !IsTileSide(shape.columns) ||
      !IsTileSide(shape.depth)) {
    return NoReason("a tile's side is 32 or a multiple of 64");
  }
  if (shape.u % 16 != 0 || shape.v % 16 != 0 || shape.rows % shape.u != 0 ||
      shape.columns % shape.v != 0 || shape.u * shape.v > kMostSums ||
      shape.Threads() > kMostOfBlock) {
    return NoReason("the warps' parts do not make up a block");
  }
  if (shape.stages < 3 || shape.Bytes() > kMostShared) {
    return NoReason("the tiles need 3 stages, and shared memory for them");
  }
  return shape;
}

std::string Written(std::int64_t value) { return std::to_string(value); }

std::string WithEach(std::string text, const std::string& from,
                     const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// One factor as a Matrix: lines, of which the elements are neighbours.
struct MmaFactor {
  bool along_fold = false;
  std::string matrix;  // Its initializer.
};

std::optional<MmaFactor> MmaFactorOf(const Product& product, const Expr& access,
                                     const std::string& outer,
                                     const Expr& bound) {
  const std::string& fold = product.fold.name;
  MmaFactor lines;
  lines.along_fold = HasUnitStride(access, fold);
  const std::string& line = lines.along_fold ? outer : fold;
  const std::string& place = lines.along_fold ? fold : outer;
  const Expr& subscript = access.args[1];
  const auto by_line = SplitBy(ToPoly(subscript, {}), line);
  if (!HasUnitStride(access, place) || !by_line ||
      by_line->slope.Mentions(place)) {
    return std::nullopt;
  }
  const auto at = [&](std::int64_t number) {
    return Folded(Substituted(Substituted(subscript, line, Number(number)),
                              place, Number(0)));
  };
  lines.matrix = "{" + ArrayName(access) + ", " + Print(at(0)) + ", " +
                 Print(Folded(Sub(at(1), at(0)))) + ", " +
                 Print(lines.along_fold ? bound : product.fold.bound) + ", " +
                 Print(lines.along_fold ? product.fold.bound : bound) + "}";
  return lines;
}

}  // namespace

DeviceOutcome MmaProduct(const DeviceSite& site, const Technique& technique) {
  const auto product = ReadProduct(site.kernel);
  if (!product) return NoReason("it is not like a matrix product");
  const auto left_access = NarrowAccess(product->left);
  const auto right_access = NarrowAccess(product->right);
  const std::string conversion = CalledFunction(product->left);
  if (!left_access || !right_access ||
      CalledFunction(product->right) != conversion) {
    return NoReason("its factors are of no type of the tensor cores");
  }
  const auto shape = ReadMmaShape(technique);
  if (!shape) return NoReason(shape.error());
  const auto left =
      MmaFactorOf(*product, *left_access, product->row, product->rows);
  const auto right =
      MmaFactorOf(*product, *right_access, product->column, product->columns);
  if (!left || !right) return NoReason("its factors do not lie in lines");
  // Results are stored 16 bytes at a time, where these are aligned.
  Product packed = *product;
  Expr& last = packed.rest.back().expr;
  const Param* result = last.text == "="
                            ? site.kernel.FindParam(ArrayName(last.args[0]))
                            : nullptr;
  if (result == nullptr || !HasUnitStride(last.args[0], product->column)) {
    return NoReason("it does not end by storing along its columns");
  }
  const std::string subscript = Print(last.args[0].args[1]);
  const std::string array = ArrayName(last.args[0]);
  const std::string n = Written(16 / BytesOf(result->Element()));
  const std::string pack = "Pack<" + result->Element() + ", " + n + ">";
  const std::string type =
      conversion == "__half2float" ? "__half" : "__nv_bfloat16";
  const std::string tiles = site.Fresh("tiles");
  const std::string a = site.Fresh("left");
  const std::string b = site.Fresh("right");
  const std::string sums = site.Fresh("sums");
  const std::string chunk = site.Fresh("chunk");
  const std::string at = site.Fresh("at");
  last.args[0] = Name(chunk + ".v[v]");

  const std::string& i = product->row;
  const std::string& j = product->column;
  const std::string across = Written(shape->columns) + " / " + n;
  const std::string i0 = "blockIdx.y * " + Written(shape->rows);
  const std::string j0 = "blockIdx.x * " + Written(shape->columns);
  const std::string in_row = "t % (" + across + ") * " + n;
  const std::string part = Written(shape->u) + ", " + Written(shape->v);
  const auto compute = [&](const char* aligned) {
    const auto truth = [](bool is) { return is ? "true, " : "false, "; };
    return "    TensorSums<" + Written(shape->rows) + ", " +
           Written(shape->columns) + ", " + Written(shape->depth) + ", " +
           part + ", " + Written(shape->stages) + ", " +
           truth(left->along_fold) + truth(right->along_fold) + aligned + ">(" +
           a + ", " + b + ", " + i0 + ", " + j0 + ", reinterpret_cast<" + type +
           "*>(" + tiles + "), " + sums + ");\n";
  };
  std::string body =
      Print(product->guarded.prologue, 2) + "  extern __shared__ uint4 " +
      tiles + "[];\n  float* staged = reinterpret_cast<float*>(" + tiles +
      ");\n  const Matrix<" + type + "> " + a + " = " + left->matrix +
      ";\n  const Matrix<" + type + "> " + b + " = " + right->matrix +
      ";\n  float " + sums + "[" + Written(shape->u / 16) + "][" +
      Written(shape->v / 8) + "][4] = {};\n  if ((" + a + ".origin | " + a +
      ".stride | " + b + ".origin | " + b + ".stride) % 8 == 0) {\n" +
      compute("true") + "  } else {\n" + compute("false") +
      "  }\n  StageSums<" + Written(shape->columns) + ", " + part + ">(" +
      sums +
      ", staged);\n  __syncthreads();\n  for (int t = threadIdx.x; t < " +
      Written(shape->rows) + " * " + across +
      "; t += " + Written(shape->Threads()) + ") {\n    " + pack + " " + chunk +
      ";\n    int " + i + " = " + i0 + " + t / (" + across +
      ");\n#pragma unroll\n    for (int v = 0; v < " + n +
      "; ++v) {\n      int " + j + " = " + j0 + " + " + in_row + " + v;\n" +
      Epilogue(packed,
               "staged[t / (" + across + ") * " + Written(shape->columns + 8) +
                   " + " + in_row + " + v]",
               6) +
      "    }\n    int " + j + " = " + j0 + " + " + in_row + ";\n    int " + at +
      " = " + subscript + ";\n    if (" + i + " < " + Print(product->rows) +
      " && " + j + " + " + n + " <= " + Print(product->columns) + " && " + at +
      " % " + n + " == 0) {\n      *reinterpret_cast<" + pack + "*>(" + array +
      " + " + at + ") = " + chunk +
      ";\n    } else {\n#pragma unroll\n      for (int v = "
      "0; v < " +
      n + "; ++v) {\n        if (" + i + " < " + Print(product->rows) + " && " +
      j + " + v < " + Print(product->columns) + ") {\n          " + array +
      "[" + at + " + v] = " + chunk + ".v[v];\n        }\n      }\n" +
      "    }\n  }\n";
  auto outcome = WithLaunch(site, std::move(body), shape->rows, shape->columns,
                            shape->Threads());
  if (!outcome) return outcome;
  outcome->launch->more = {Number(shape->Bytes())};
  std::string multiply = MmaMultiply();
  if (type != "__half") {
    multiply = WithEach(WithEach(multiply, "__half", type), ".f16.f16.",
                        ".bf16.bf16.");
  }
  outcome->helpers = {std::string(kPack), MmaPtx(), std::move(multiply),
                      MmaSums()};
  return outcome;
}

}  // namespace coppice::agents::catalogue::cuda
