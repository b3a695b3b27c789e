// tile(i, j, rows, columns): two nested loops visit small rectangles, so that
// what one rectangle touches stays in the cache.
// block(v, size): the loop is cut into blocks of `size` iterations; with it,
// an outer loop can be moved inside.
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/loop_catalogue.h"
#include "agents/catalogue/pragmas.h"

namespace coppice::agents::catalogue {
namespace {

// for (block = init; block < bound; block += size) around
// for (v = block; v < min(block + size, bound); ++v)
Stmt BlockLoop(const Stmt& loop, const std::string& block, std::int64_t size) {
  return MakeFor(block, *loop.init, loop.bound, Mul(loop.step, Number(size)),
                 {});
}

Stmt WithinBlock(const Stmt& loop, const std::string& block,
                 std::int64_t size) {
  Stmt within = loop;
  within.init = Name(block);
  within.bound =
      Call("std::min<int64_t>",
           {Add(Name(block), Mul(loop.step, Number(size))), loop.bound});
  return within;
}

}  // namespace

Outcome Tile(const Site& site, const Stmt& outer, const Technique& technique) {
  const std::int64_t rows = technique.IntArg(2).value_or(0);
  const std::int64_t columns = technique.IntArg(3).value_or(0);
  if (rows < 2 || columns < 2) return NoReason("there is no such loop here");
  const Stmt* inner = PerfectlyNested(outer);
  if (inner == nullptr || inner->name != technique.Arg(1)) {
    return NoReason("that loop is not alone within it");
  }
  if (!outer.pragmas.empty()) return NoReason("a pragma speaks of the order");
  if (auto why = WhyNotExchanged(outer, *inner, site.definitions);
      !why.empty()) {
    return NoReason(std::move(why));
  }
  const std::string row_block = site.Fresh(outer.name + "_block");
  const std::string column_block = site.Fresh(inner->name + "_block");
  Stmt point = WithinBlock(outer, row_block, rows);
  point.body = {WithinBlock(*inner, column_block, columns)};
  Stmt tiles = BlockLoop(outer, row_block, rows);
  tiles.body = {BlockLoop(*inner, column_block, columns)};
  tiles.body[0].body = {std::move(point)};
  return WithLoop(site, outer.name, {std::move(tiles)});
}

Outcome Block(const Site& site, const Stmt& loop, const Technique& technique) {
  const std::int64_t size = technique.IntArg(1).value_or(0);
  if (size < 2) return NoReason("there is no such loop here");
  if (IsStrip(loop)) return NoReason("the loop is a strip already");
  if (MayBreak(loop.body)) return NoReason("it may end early");
  std::set<std::string> changed = EffectsOf(loop.body).Written();
  changed.merge(AssignedInRaw(loop.body));
  if (changed.contains(loop.name) || MentionsAny(loop.step, changed)) {
    return NoReason("its body changes where it goes on");
  }
  const std::string block = site.Fresh(loop.name + "_block");
  Stmt blocks = BlockLoop(loop, block, size);
  Stmt within = WithinBlock(loop, block, size);
  if (HasPragma(within, "omp parallel"))
    std::swap(blocks.pragmas, within.pragmas);
  blocks.body = {std::move(within)};
  return WithLoop(site, loop.name, {std::move(blocks)});
}

}  // namespace coppice::agents::catalogue
