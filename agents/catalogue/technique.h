// A technique: a source transformation with its parameters, "jam(j, 32)".
//
// Each lives in a file of its own and takes the statements between a plan's
// anchors to new ones, or says in words why it cannot.  One that was offered
// need not be right: some are gambles, and the evaluator judges.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "agents/catalogue/kernel.h"
#include "agents/catalogue/poly.h"
#include "agents/catalogue/setting.h"
#include "agents/catalogue/stmt.h"
#include "store/records/technique.h"

namespace coppice::agents::catalogue {

using coppice::ParseTechnique;
using coppice::Print;
using coppice::Technique;

// Where a technique works.
struct Site {
  const Kernel& kernel;
  StmtList span;            // The statements between the anchors.
  Definitions definitions;  // Of the whole kernel.
  Constants constants;      // True for every workload.
  const Setting& setting;
  std::set<std::string> taken;  // Names made since the kernel was parsed.

  std::string Fresh(const std::string& base) const {
    return FreshName(base, kernel.names, taken);
  }
};

Site MakeSite(const Kernel& kernel, StmtList span, const Setting& setting);

// Iterations of the loop in each workload; empty if not all are known.
std::vector<std::int64_t> TripsOf(const Site& site, const Stmt& loop);

struct Rewritten {
  StmtList span;
  // Functions that the span now calls, each to stand above the entry once.
  std::vector<std::string> helpers;
};

using Outcome = tl::expected<Rewritten, std::string>;
using NoReason = tl::unexpected<std::string>;

// The first loop over `variable` in the list, at any depth; null if none.
Stmt* FindLoop(StmtList& list, std::string_view variable);
const Stmt* FindLoop(const StmtList& list, std::string_view variable);

// Puts `replacement` where FindLoop found its loop.
bool ReplaceLoop(StmtList& list, std::string_view variable,
                 StmtList replacement);

// The site's span with `made` where FindLoop finds its loop.
Rewritten WithLoop(const Site& site, std::string_view variable, StmtList made,
                   std::vector<std::string> helpers = {});

// Puts `made` in front of the first statement on top of the list that
// mentions `name`.
void InsertBeforeNest(StmtList& list, StmtList made, const std::string& name);

// The type of the scalar where `loop`, which stands in the site's span, uses
// it: as the nearest declaration around or in front has it.  Empty if there is
// none.
std::string TypeAt(const Site& site, const Stmt& loop,
                   const std::string& scalar);

// With the values of the scalars that the list defines by known ones.
Constants WithDerived(Constants constants, const StmtList& list);

std::optional<std::int64_t> ValueOf(const Expr& expr,
                                    const Constants& constants);

}  // namespace coppice::agents::catalogue
