// Techniques on the shape of a launch.
//
// threads(kernel, x[, y])   that many threads in a block; the grid follows.
// stride(kernel, blocks)    at most that many blocks, each thread of which
//     takes every element a whole grid further on, instead of one.
#include <algorithm>
#include <utility>

#include "agents/catalogue/cuda/device_catalogue.h"
#include "agents/catalogue/cuda/geometry.h"
#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"

namespace coppice::agents::catalogue::cuda {
namespace {

constexpr std::int64_t kMostThreads = 1024;

bool Holds(const StmtList& list, const Expr& part) {
  return HasPart(list, [&](const Expr& e) { return e == part; });
}

Expr Member(const std::string& object, char dimension) {
  return ParseExpr(object + "." + dimension);
}

// Replaces ceil_div(E, before) anywhere in the grid's dimension; false if it
// is not there.
bool Follow(Expr& grid, std::int64_t before, std::int64_t after) {
  bool found = false;
  Rewrite(grid, [&](Expr& e) {
    if (CalledFunction(e) != "ceil_div" || e.args.size() != 3 ||
        IntegerValue(e.args[2]) != before) {
      return false;
    }
    e.args[2] = Number(after);
    return found = true;
  });
  return found;
}

// Gives one dimension of the block another size; or says why not.
std::string Resize(const DeviceSite& site, SourceLaunch& launch, char dimension,
                   std::int64_t after) {
  const auto before = ThreadsOf(launch, dimension);
  if (!before) return "its number of threads is no literal";
  if (*before == after) return "";
  const StmtList& body = site.kernel.body;
  const bool outgrown = HasStmt(body, [&](const Stmt& stmt) {
    return stmt.kind == StmtKind::kDecl &&
           stmt.type.find("__shared__") != std::string::npos &&
           std::any_of(stmt.dims.begin(), stmt.dims.end(), [&](const Expr& e) {
             const auto size = IntegerValue(e);
             return size && *size >= *before && *size < after;
           });
  });
  if (outgrown) return "its shared memory is made for fewer threads";
  if (!Holds(body, Member("blockDim", dimension))) {
    return "the kernel does not ask how many threads there are";
  }
  const std::size_t at = static_cast<std::size_t>(dimension - 'x');
  const Expr block_start =
      Binary("*", Member("blockIdx", dimension), Member("blockDim", dimension));
  if (Holds(body, block_start) &&
      (at >= launch.grid.size() || !Follow(launch.grid[at], *before, after))) {
    return "its grid does not follow from its block";
  }
  launch.block.resize(std::max(launch.block.size(), at + 1), Number(1));
  launch.block[at] = Number(after);
  return "";
}

}  // namespace

DeviceOutcome Threads(const DeviceSite& site, const Technique& technique) {
  const auto x = technique.IntArg(1);
  const auto y = technique.args.size() > 2
                     ? technique.IntArg(2)
                     : std::optional(ThreadsOf(site.launch, 'y').value_or(0));
  const auto z = ThreadsOf(site.launch, 'z');
  if (!x || !y || !z || *x < 1 || *y < 1 || *x * *y * *z > kMostThreads) {
    return NoReason("a block has 1 to 1024 threads");
  }
  SourceLaunch launch = site.launch;
  for (const auto& [dimension, size] :
       {std::pair('x', *x), std::pair('y', *y)}) {
    if (std::string why = Resize(site, launch, dimension, size); !why.empty()) {
      return NoReason(why);
    }
  }
  if (launch.block == site.launch.block) return NoReason("it has them already");
  DeviceEdit edit;
  edit.launch = std::move(launch);
  return edit;
}

DeviceOutcome Stride(const DeviceSite& site, const Technique& technique) {
  const auto blocks = technique.IntArg(1);
  const auto guarded = ReadFlat(site.kernel);
  if (!blocks || *blocks < 1) return NoReason("how many blocks?");
  if (!guarded || !ExtentOf(site.launch, 'x')) return NoReason(kNotFlat);
  const ThreadVariable& i = guarded->variables[0];
  Stmt loop = MakeFor(i.name, ThreadIndex('x'), i.bound,
                      ParseExpr("gridDim.x * blockDim.x"), guarded->body);
  loop.type = "int";
  StmtList body = guarded->prologue;
  body.push_back(std::move(loop));
  DeviceEdit edit;
  edit.body = Print(body, 2);
  edit.launch = site.launch;
  edit.launch->grid[0] = Call("min", {site.launch.grid[0], Number(*blocks)});
  return edit;
}

}  // namespace coppice::agents::catalogue::cuda
