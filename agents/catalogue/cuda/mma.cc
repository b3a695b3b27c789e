// A product of float16 or bfloat16 on tensor cores.  The sizes are numbers of
// the source that are left to be tuned, and these the ones to begin with.
//
// mma(kernel, rows, columns, depth, u, v, stages)  by mma.sync: a block
//     computes rows x columns outputs, u x v in each warp, from tiles of that
//     depth, of which `stages` are on their way or in use.
// wgmma(kernel, rows, columns, stages)  by wgmma, which sm_90 alone has: four
//     warps compute 64 x columns, from tiles of depth 64.
//
// Lines whose length is no multiple of 16 bytes come through registers, all
// others by cp.async.
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "agents/catalogue/cuda/accesses.h"
#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/mma_source.h"
#include "agents/catalogue/cuda/product_form.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kMostShared = 227 << 10;  // That a block may ask for.
constexpr std::int64_t kMostOfBlock = 256;       // With all registers for each.
constexpr std::int64_t kMostSums = 4096;         // Of a warp, in registers.
constexpr std::int64_t kWgmmaDepth = 64;         // Of its tiles.
constexpr std::array<std::int64_t, 4> kWgmmaColumns = {64, 128, 192, 256};

// A number that the source leaves to be tuned.
struct Tunable {
  std::string name;
  std::set<std::int64_t> choices;
  std::int64_t value = 0;
};

// What differs between the ways to compute a block's sums, in their own words.
struct TensorWay {
  std::vector<Tunable> numbers;
  std::string rows;  // Of a block: names of numbers.
  std::string columns;
  std::string depth;
  std::string stages;
  std::string blocks;    // Of a multiprocessor.
  std::string threads;   // What they make.
  std::string function;  // With its arguments but three.
  std::string sums;      // ArraySizes of each thread's.
  std::string warp;      // Its rows and columns of them.
  std::vector<std::string> helpers;
};

std::string Declared(const Tunable& number) {
  std::string line = "constexpr int " + number.name + " = " +
                     std::to_string(number.value) + ";  //@ tune";
  for (const std::int64_t choice : number.choices) {
    line += " " + std::to_string(choice);
  }
  return line + "\n";
}

// One for each name, given to begin with by the technique, behind the kernel.
// Empty if the technique does not give them.
std::vector<Tunable> ReadNumbers(
    const DeviceSite& site, const Technique& technique,
    const std::vector<std::pair<const char*, std::set<std::int64_t>>>& all) {
  std::vector<Tunable> numbers;
  for (const auto& [name, choices] : all) {
    const auto given = technique.IntArg(numbers.size() + 1);
    if (!given || *given < 1 || *given > 256) return {};
    numbers.push_back({site.Fresh(name), choices, *given});
    numbers.back().choices.insert(*given);
  }
  return numbers;
}

bool FitsInShared(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                  std::int64_t stages) {
  return stages >= 3 && std::max(stages * (rows + columns) * depth * 2,
                                 rows * (columns + 8) * 4) <= kMostShared;
}

// So that pieces of 16 bytes can be swapped within eight or four of a line.
bool IsTileSide(std::int64_t size) { return size == 32 || size % 64 == 0; }

using Way = tl::expected<TensorWay, std::string>;

Way MmaWay(const DeviceSite& site, const Technique& technique) {
  auto numbers = ReadNumbers(site, technique,
                             {{"BM", {64, 128}},
                              {"BN", {64, 128, 256}},
                              {"BK", {32, 64}},
                              {"WM", {32, 64}},
                              {"WN", {32, 64}},
                              {"STAGES", {3, 4, 5}}});
  if (numbers.empty()) return NoReason("which sizes?");
  const auto value = [&](std::size_t i) { return numbers[i].value; };
  if (!IsTileSide(value(0)) || !IsTileSide(value(1)) || !IsTileSide(value(2))) {
    return NoReason("a tile's side is 32 or a multiple of 64");
  }
  if (value(3) % 16 != 0 || value(4) % 16 != 0 || value(0) % value(3) != 0 ||
      value(1) % value(4) != 0 || value(3) * value(4) > kMostSums ||
      value(0) / value(3) * (value(1) / value(4)) * 32 > kMostOfBlock) {
    return NoReason("the warps' parts do not make up a block");
  }
  if (!FitsInShared(value(0), value(1), value(2), value(5))) {
    return NoReason("the tiles need 3 stages, and shared memory for them");
  }
  TensorWay way;
  way.rows = numbers[0].name;
  way.columns = numbers[1].name;
  way.depth = numbers[2].name;
  way.stages = numbers[5].name;
  const std::string& u = numbers[3].name;
  const std::string& v = numbers[4].name;
  way.threads =
      way.rows + " / " + u + " * (" + way.columns + " / " + v + ") * 32";
  way.warp = u + ", " + v;
  way.function = "TensorSums<" + way.rows + ", " + way.columns + ", " +
                 way.depth + ", " + way.warp + ", " + way.stages;
  way.sums = "[" + u + " / 16][" + v + " / 8][4]";
  way.helpers = {MmaPtx(), MmaMultiply(), MmaSums()};
  way.numbers = std::move(numbers);
  return way;
}

// wgmma with its operands: n * 4 + e is d[n][e]; then come the descriptors, and
// which of the factors go across the fold.
std::string WgmmaMultiply(std::int64_t columns) {
  const std::int64_t sums = columns / 2;
  const std::string width = std::to_string(columns);
  const std::string eighth = std::to_string(columns / 8);
  std::string text =
      "// d += a * b for a 64 x " + width +
      " of four warps, over 16 of the fold.\n"
      "template <int A_ACROSS, int B_ACROSS>\n"
      "__device__ void MultiplyAsync(float (&d)[" +
      eighth +
      "][4], unsigned long long a,\n"
      "                              unsigned long long b, const __half*) {\n"
      "  asm volatile(\n"
      "      \"wgmma.mma_async.sync.aligned.m64n" +
      width + "k16.f32.f16.f16 {\"\n";
  for (std::int64_t i = 0; i < sums; ++i) {
    text += (i % 8 == 0 ? "      \"%" : " %") + std::to_string(i);
    text += i + 1 == sums ? "}, \"\n" : i % 8 == 7 ? ", \"\n" : ",";
  }
  const auto operand = [&](std::int64_t more) {
    return "%" + std::to_string(sums + more);
  };
  text += "      \"" + operand(0) + ", " + operand(1) + ", 1, 1, 1, " +
          operand(2) + ", " + operand(3) + ";\"\n      : ";
  for (std::int64_t i = 0; i < sums; ++i) {
    if (i % 4 == 0 && i > 0) text += "        ";
    text += "\"+f\"(d[" + std::to_string(i / 4) + "][" + std::to_string(i % 4) +
            "])";
    text += i + 1 == sums ? "\n" : i % 4 == 3 ? ",\n" : ", ";
  }
  return text +
         "      : \"l\"(a), \"l\"(b), \"n\"(A_ACROSS), \"n\"(B_ACROSS));\n}\n";
}

Way WgmmaWay(const DeviceSite& site, const Technique& technique) {
  auto numbers =
      ReadNumbers(site, technique,
                  {{"BM", {64, 128}},
                   {"BN", {kWgmmaColumns.begin(), kWgmmaColumns.end()}},
                   {"STAGES", {3, 4, 5, 6}}});
  if (numbers.empty()) return NoReason("which sizes?");
  const auto value = [&](std::size_t i) { return numbers[i].value; };
  if (value(0) % 64 != 0 || value(1) % 64 != 0 || 2 * value(0) > kMostOfBlock) {
    return NoReason("four warps have 64 rows and a multiple of 64 columns");
  }
  if (!FitsInShared(value(0), value(1), kWgmmaDepth, value(2))) {
    return NoReason("the tiles need 3 stages, and shared memory for them");
  }
  TensorWay way;
  way.rows = numbers[0].name;
  way.columns = numbers[1].name;
  way.depth = std::to_string(kWgmmaDepth);
  way.stages = numbers[2].name;
  way.threads = "2 * " + way.rows;
  way.warp = "16, " + way.columns;
  way.function =
      "WarpgroupSums<" + way.rows + ", " + way.columns + ", " + way.stages;
  way.sums = "[1][" + way.columns + " / 8][4]";
  way.helpers = {WgmmaPtx()};
  for (const std::int64_t columns : kWgmmaColumns) {
    way.helpers.push_back(WgmmaMultiply(columns));
  }
  way.helpers.push_back(WgmmaSums());
  way.numbers = std::move(numbers);
  return way;
}

// An access as a Matrix: lines, of which the elements are neighbours.
std::optional<std::string> LinesOf(const Expr& access, const std::string& line,
                                   const Expr& lines, const std::string& place,
                                   const Expr& length) {
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
  return "{" + ArrayName(access) + ", " + Print(at(0)) + ", " +
         Print(Folded(Sub(at(1), at(0)))) + ", " + Print(lines) + ", " +
         Print(length) + "}";
}

struct Factor {
  std::string lines;  // As a Matrix.
  bool goes_along_fold = false;
};

std::optional<Factor> FactorOf(const Product& product, const Expr& access,
                               const std::string& outer, const Expr& bound) {
  const std::string& fold = product.fold.name;
  const bool along = HasUnitStride(access, fold);
  auto lines = along ? LinesOf(access, outer, bound, fold, product.fold.bound)
                     : LinesOf(access, fold, product.fold.bound, outer, bound);
  if (!lines) return std::nullopt;
  return Factor{std::move(*lines), along};
}

std::string WithEach(std::string text, const std::string& from,
                     const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// What the kernel's body and its launch call their own.
struct OwnNames {
  explicit OwnNames(const DeviceSite& site)
      : threads(site.Fresh("THREADS")),
        shared(site.Fresh("shared")),
        tiles(site.Fresh("tiles")),
        staged(site.Fresh("staged")),
        left(site.Fresh("left")),
        right(site.Fresh("right")),
        result(site.Fresh("result")),
        sums(site.Fresh("sums")),
        row(site.Fresh("i0")),
        column(site.Fresh("j0")),
        few(site.Fresh("few")),
        chunk(site.Fresh("chunk")) {}

  std::string threads;
  std::string shared;
  std::string tiles;
  std::string staged;
  std::string left;
  std::string right;
  std::string result;
  std::string sums;
  std::string row;  // Of the block's first sum.
  std::string column;
  std::string few;
  std::string chunk;
};

std::string SharedMemory(const OwnNames& own, const std::string& type) {
  return "  extern __shared__ __align__(1024) uint4 " + own.shared + "[];\n  " +
         type + "* " + own.tiles + " = reinterpret_cast<" + type + "*>(" +
         own.shared + ");\n  float* " + own.staged +
         " = reinterpret_cast<float*>(" + own.shared + ");\n";
}

std::string MatrixOf(const std::string& element, const std::string& name,
                     const std::string& lines) {
  return "  const Matrix<" + element + "> " + name + " = " + lines + ";\n";
}

// Computes the block's sums and stages them in shared memory.
std::string StagedSums(const TensorWay& way, const OwnNames& own,
                       const Factor& left, const Factor& right) {
  const auto compute = [&](const char* aligned) {
    return "    " + way.function +
           (left.goes_along_fold ? ", true" : ", false") +
           (right.goes_along_fold ? ", true" : ", false") + aligned + ">(" +
           own.left + ", " + own.right + ", " + own.row + ", " + own.column +
           ", " + own.tiles + ", " + own.sums + ");\n";
  };
  return "  int " + own.row + " = blockIdx.y * " + way.rows + ";\n  int " +
         own.column + " = blockIdx.x * " + way.columns + ";\n  float " +
         own.sums + way.sums + " = {};\n  if ((" + own.left + ".origin | " +
         own.left + ".stride | " + own.right + ".origin | " + own.right +
         ".stride) % 8 == 0) {\n" + compute(", true") + "  } else {\n" +
         compute(", false") + "  }\n  StageSums<" + way.columns + ", " +
         way.warp + ">(" + own.sums + ", " + own.staged +
         ");\n  __syncthreads();\n";
}

// Stores what is staged: some at a time, where all lines are aligned and end
// so.
std::string StoreStaged(const Product& product, const TensorWay& way,
                        const OwnNames& own, const std::string& element) {
  const std::string& i = product.row;
  const std::string& j = product.column;
  const std::string n = "4";  // Sums that are read and stored at once.
  const std::string pack = "Pack<" + element + ", " + n + ">";
  const std::string floats = "Pack<float, " + n + ">";
  const std::string pitch = "(" + way.columns + " + 8)";
  const std::string across = "(" + way.columns + " / " + n + ")";
  const std::string in_row = "t % " + across + " * " + n;
  const std::string start =
      "int " + j + " = " + own.column + " + " + in_row;  // Of a pack.
  Product packed = product;
  Expr& stored = packed.rest.back().expr.args[0];
  const std::string target = ArrayName(stored) + " + " + Print(stored.args[1]);
  stored = Name(own.chunk + ".v[v]");
  return "  if ((" + own.result + ".origin | " + own.result + ".stride | " +
         own.result + ".length) % " + n +
         " == 0) {\n#pragma unroll 4\n    for (int t = threadIdx.x; t < " +
         way.rows + " * " + across + "; t += " + own.threads + ") {\n      " +
         floats + " " + own.few + " = *reinterpret_cast<const " + floats +
         "*>(" + own.staged + " + t / " + across + " * " + pitch + " + " +
         in_row + ");\n      " + pack + " " + own.chunk + ";\n      int " + i +
         " = " + own.row + " + t / " + across +
         ";\n#pragma unroll\n      for (int v = 0; v < " + n +
         "; ++v) {\n        " + start + " + v;\n" +
         Epilogue(packed, own.few + ".v[v]", 8) + "      }\n      " + start +
         ";\n      if (" + i + " < " + Print(product.rows) + " && " + j +
         " < " + Print(product.columns) + ") {\n        *reinterpret_cast<" +
         pack + "*>(" + target + ") = " + own.chunk +
         ";\n      }\n    }\n  } else {\n#pragma unroll 8\n    for (int t = "
         "threadIdx.x; t < " +
         way.rows + " * " + way.columns + "; t += " + own.threads +
         ") {\n      int " + i + " = " + own.row + " + t / " + way.columns +
         ";\n      int " + j + " = " + own.column + " + t % " + way.columns +
         ";\n" +
         Epilogue(product,
                  own.staged + "[t / " + way.columns + " * " + pitch +
                      " + t % " + way.columns + "]",
                  6) +
         "    }\n  }\n";
}

void AddHelpers(const TensorWay& way, const std::string& type,
                const std::string& threads, DeviceEdit& edit) {
  std::string numbers;
  for (const Tunable& number : way.numbers) numbers += Declared(number);
  numbers += "constexpr int " + threads + " = " + way.threads + ";\n";
  edit.helpers = {std::move(numbers), std::string(kPack), TileCopies(), Tiles(),
                  StageSums()};
  for (std::string helper : way.helpers) {
    if (type != "__half") {
      helper = WithEach(WithEach(std::move(helper), "__half", type), ".f16.f16",
                        ".bf16.bf16");
    }
    edit.helpers.push_back(std::move(helper));
  }
}

DeviceOutcome ByTensorCores(const DeviceSite& site, const Technique& technique,
                            Way (*choose)(const DeviceSite&,
                                          const Technique&)) {
  const auto product = ReadProduct(site.kernel);
  if (!product) return NoReason("it is not like a matrix product");
  const auto factors = FactorsForTensorCores(*product);
  if (!factors) {
    return NoReason("its factors are of no type of the tensor cores");
  }
  auto way = choose(site, technique);
  if (!way) return NoReason(way.error());
  const auto left =
      FactorOf(*product, factors->left, product->row, product->rows);
  const auto right =
      FactorOf(*product, factors->right, product->column, product->columns);
  if (!left || !right) return NoReason("its factors do not lie in lines");
  const Expr& last = product->rest.back().expr;
  const Param* result = last.text == "="
                            ? site.kernel.FindParam(ArrayName(last.args[0]))
                            : nullptr;
  const auto results = result == nullptr
                           ? std::nullopt
                           : LinesOf(last.args[0], product->row, product->rows,
                                     product->column, product->columns);
  if (!results) return NoReason("it does not end by storing along its columns");
  way->blocks = site.Fresh("BLOCKS");
  way->numbers.push_back({way->blocks, {1, 2}, 1});
  const OwnNames own(site);
  const std::string& type = factors->type;
  std::string body = Print(product->guarded.prologue, 2) +
                     SharedMemory(own, type) +
                     MatrixOf(type, own.left, left->lines) +
                     MatrixOf(type, own.right, right->lines) +
                     MatrixOf(result->Element(), own.result, *results) +
                     StagedSums(*way, own, *left, *right) +
                     StoreStaged(*product, *way, own, result->Element());
  auto outcome = WithLaunch(site, std::move(body), Name(way->rows),
                            Name(way->columns), ParseExpr(way->threads));
  if (!outcome) return outcome;
  outcome->launch->more = {ParseExpr("max(" + way->stages + " * (" + way->rows +
                                     " + " + way->columns + ") * " +
                                     way->depth + " * 2, " + way->rows +
                                     " * (" + way->columns + " + 8) * 4)")};
  outcome->attributes =
      "__launch_bounds__(" + own.threads + ", " + way->blocks + ")";
  AddHelpers(*way, type, own.threads, *outcome);
  return outcome;
}

}  // namespace

DeviceOutcome MmaProduct(const DeviceSite& site, const Technique& technique) {
  return ByTensorCores(site, technique, MmaWay);
}

DeviceOutcome WgmmaProduct(const DeviceSite& site, const Technique& technique) {
  return ByTensorCores(site, technique, WgmmaWay);
}

}  // namespace coppice::agents::catalogue::cuda
