#include "agents/catalogue/loop_catalogue.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agents/catalogue/aliases.h"
#include "agents/catalogue/fuse.h"
#include "agents/catalogue/jam.h"
#include "agents/catalogue/lanes.h"
#include "agents/catalogue/network.h"
#include "agents/catalogue/pack.h"
#include "agents/catalogue/pad.h"
#include "agents/catalogue/popcount.h"
#include "agents/catalogue/pragmas.h"
#include "agents/catalogue/privatize.h"
#include "agents/catalogue/recipes.h"
#include "agents/catalogue/scan.h"
#include "agents/catalogue/splice.h"
#include "agents/catalogue/tabulate.h"
#include "agents/catalogue/unroll.h"

namespace coppice::agents::catalogue {
namespace {

// A technique on a whole span, or on the loop that its first argument names.
struct Entry {
  using OnSpan = Outcome (*)(const Site&, const Technique&);
  using OnLoop = Outcome (*)(const Site&, const Stmt&, const Technique&);

  constexpr Entry(std::string_view its_name, OnSpan apply)
      : name(its_name), on_span(apply) {}
  constexpr Entry(std::string_view its_name, OnLoop apply)
      : name(its_name), on_loop(apply) {}

  std::string_view name;
  OnSpan on_span = nullptr;
  OnLoop on_loop = nullptr;
};

constexpr std::array kEntries = {
    Entry{"accumulate", Accumulate},
    Entry{"alternate", Alternate},
    Entry{"block", Block},
    Entry{"byte_product", ByteProduct},
    Entry{"fission", Fission},
    Entry{"fuse", Fuse},
    Entry{"hoist", Hoist},
    Entry{"interchange", Interchange},
    Entry{"interior", Interior},
    Entry{"jam", Jam},
    Entry{"lanes", Lanes},
    Entry{"math", CheaperMath},
    Entry{"network", Network},
    Entry{"pack", Pack},
    Entry{"pad", Pad},
    Entry{"parallel", Parallel},
    Entry{"popcount", Popcount},
    Entry{"privatize", Privatize},
    Entry{"promote", Promote},
    Entry{"register_block", RegisterBlock},
    Entry{"restrict", Restrict},
    Entry{"rowwise", Rowwise},
    Entry{"scan", Scan},
    Entry{"separate", Separate},
    Entry{"simd", Simd},
    Entry{"slide", Slide},
    Entry{"tabulate", Tabulate},
    Entry{"tile", Tile},
    Entry{"unroll", Unroll},
    Entry{"wavefront", Wavefront},
};

const Entry* Find(const std::string& name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// Applies to every loop where it can, not within one that it changed.
int ApplyToEach(Site& site, const Technique& technique, StmtList& list,
                std::vector<std::string>& helpers) {
  int applied = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind == StmtKind::kFor) {
      Technique one = technique;
      one.args[0] = list[i].name;
      Site here = site;
      here.span = {list[i]};
      if (auto outcome = Apply(here, one)) {
        ++applied;
        for (auto& helper : outcome->helpers) helpers.push_back(helper);
        site.taken.merge(DeclaredNames(outcome->span));
        const auto at = list.erase(list.begin() + static_cast<long>(i));
        list.insert(at, outcome->span.begin(), outcome->span.end());
        i += outcome->span.size() - 1;
        continue;
      }
    }
    applied += ApplyToEach(site, technique, list[i].body, helpers);
    applied += ApplyToEach(site, technique, list[i].orelse, helpers);
  }
  return applied;
}

// OpenMP collapses only loops that lie right within each other.
bool CollapsedLoopsTouch(const StmtList& body) {
  bool touch = true;
  VisitStmts(body, [&](const Stmt& stmt) {
    if (!HasPragma(stmt, "collapse")) return;
    touch = touch && stmt.body.size() == 1 &&
            stmt.body[0].kind == StmtKind::kFor && stmt.body[0].pragmas.empty();
  });
  return touch;
}

// Does it hold `#pragma omp for`, or what else threads do together?  Without
// its pragma each of them would do all of it.
bool SharesWork(const StmtList& list) {
  return HasStmt(list, [](const Stmt& stmt) {
    return std::any_of(stmt.pragmas.begin(), stmt.pragmas.end(),
                       [](const auto& pragma) {
                         return pragma.find("omp") != pragma.npos &&
                                pragma.find("omp simd") == pragma.npos &&
                                pragma.find("omp parallel for") == pragma.npos;
                       });
  });
}

// Why a technique that moves what the loops of the span do is refused; empty:
// it is not.
std::string TwoNamesInSpan(const Site& site, const Entry& entry) {
  if (entry.name == "math" || entry.name == "restrict") return "";
  std::string why;
  VisitStmts(site.span, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kFor && why.empty()) {
      why = TwoNamesOfOne(site.kernel.body, {stmt});
    }
  });
  return why;
}

}  // namespace

Outcome Apply(const Site& site, const Technique& technique) {
  const Entry* entry = Find(technique.name);
  if (entry == nullptr) {
    return NoReason("`" + technique.name + "` is not in the catalogue");
  }
  if (technique.Arg(0) != "*") {
    const Stmt* loop = FindLoop(site.span, technique.Arg(0));
    if (entry->on_loop != nullptr && loop == nullptr) {
      return NoReason("there is no such loop here");
    }
    if (entry->on_loop != nullptr && SharesWork({*loop})) {
      return NoReason("threads share its iterations");
    }
    Outcome outcome = entry->on_loop != nullptr
                          ? entry->on_loop(site, *loop, technique)
                          : entry->on_span(site, technique);
    if (!outcome) return outcome;
    const std::string why = entry->on_loop != nullptr
                                ? TwoNamesOfOne(site.kernel.body, {*loop})
                                : TwoNamesInSpan(site, *entry);
    if (!why.empty()) return NoReason(why);
    return outcome;
  }
  Rewritten result{site.span, {}};
  Site shared = site;
  if (ApplyToEach(shared, technique, result.span, result.helpers) == 0) {
    return NoReason("no loop of the span allows it");
  }
  return result;
}

tl::expected<std::string, std::string> RewriteLoops(
    const std::string& source, Lines span,
    const std::vector<Technique>& techniques, const Setting& setting) {
  std::string text = source;
  for (const Technique& technique : techniques) {
    if (technique.name == kFromRoot) {
      const auto root = ParseKernel(setting.root);
      if (!root || root->body.empty()) return NoReason("there is no root");
      text = setting.root;
      span = {root->body.front().first_line, root->body.back().last_line};
      continue;
    }
    auto kernel = ParseKernel(text);
    if (!kernel) return NoReason(kernel.error());
    KeepDownward(kernel->body, span);
    StmtList statements = StatementsIn(kernel->body, span);
    if (statements.empty()) {
      return NoReason("no whole statement lies between the anchors");
    }
    auto outcome =
        Apply(MakeSite(*kernel, std::move(statements), setting), technique);
    if (!outcome) {
      return NoReason(Print(technique) + ": " + outcome.error());
    }
    text = Splice(*kernel, span, *outcome);
  }
  if (text == source) return NoReason("nothing would change");
  const auto result = ParseKernel(text);
  if (result && !CollapsedLoopsTouch(result->body)) {
    return NoReason("it parts loops that are collapsed into one");
  }
  return text;
}

}  // namespace coppice::agents::catalogue
