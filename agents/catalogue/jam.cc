#include "agents/catalogue/jam.h"

#include <algorithm>
#include <map>
#include <utility>

#include "agents/catalogue/dependence.h"
#include "agents/catalogue/effects.h"
#include "agents/catalogue/scratch.h"
#include "agents/catalogue/strides.h"
#include "agents/catalogue/strip.h"

namespace coppice::agents::catalogue {
namespace {

// Names whose value differs from lane to lane.
std::set<std::string> VaryingNames(const Stmt& loop,
                                   std::set<std::string> varying) {
  varying.insert(loop.name);
  const auto share = [&](const Stmt& swap) {
    if (!MentionsAny(swap.expr, varying)) return;
    for (std::size_t i : {1U, 2U}) varying.insert(swap.expr.args[i].text);
  };
  const auto grow = [&](const StmtList& list, bool under, auto&& self) -> void {
    for (const Stmt& stmt : list) {
      bool controlled = under;
      if (stmt.kind == StmtKind::kDecl && stmt.init &&
          (under || MentionsAny(*stmt.init, varying))) {
        varying.insert(stmt.name);
      }
      if (stmt.kind == StmtKind::kIf) {
        controlled |= MentionsAny(stmt.expr, varying);
      }
      if (stmt.kind == StmtKind::kFor && (MentionsAny(*stmt.init, varying) ||
                                          MentionsAny(stmt.bound, varying) ||
                                          MentionsAny(stmt.step, varying))) {
        controlled = true;
        varying.insert(stmt.name);
      }
      if (IsSwap(stmt)) share(stmt);
      // Each lane takes the steps of such an expression: w[n++] = a[j].
      VisitOwnExprs(stmt, [&](const Expr& whole) {
        if (!under && !MentionsAny(whole, varying)) return;
        Visit(whole, [&](const Expr& e) {
          const Expr* changed = ChangedBy(e);
          if (changed != nullptr) varying.insert(ArrayName(*changed));
        });
      });
      self(stmt.body, controlled, self);
      self(stmt.orelse, controlled, self);
    }
  };
  for (std::size_t before = 0; before != varying.size();) {
    before = varying.size();
    grow(loop.body, false, grow);
  }
  return varying;
}

// Distributes the lanes of one strip over the statements of a loop's body.
class Distributor {
 public:
  // `buffers`: one-dimensional arrays of the loop's own, declared elsewhere
  // with room for all lanes, side by side.
  Distributor(const Stmt& loop, std::int64_t width, std::string lane,
              const std::set<std::string>& buffers = {},
              const std::set<std::string>& rows = {},
              std::set<std::string> whole = {})
      : loop_(loop),
        width_(width),
        lane_(std::move(lane)),
        whole_(std::move(whole)) {
    varying_ = VaryingNames(loop, rows);
    local_ = DeclaredNames(loop.body);
    for (const std::string& buffer : buffers) {
      local_.insert(buffer);
      if (varying_.contains(buffer)) buffers_.insert(buffer);
    }
    holds_strips_ = HoldsStrips(loop.body);
    Partition(loop.body);
    at_lane_ = AtLane(loop, Name(lane_));
  }

  // With a mask, lanes where it is false have no effect.
  std::optional<StmtList> Run(std::optional<Expr> mask) {
    mask_ = std::move(mask);
    failed_ = false;
    StmtList result = Distribute(loop_.body);
    if (failed_) return std::nullopt;
    return result;
  }

  const std::set<std::string>& BuffersOnLanes() const { return buffers_; }

 private:
  bool Varies(const Expr& expr) const { return MentionsAny(expr, varying_); }

  // A loop or branch that all lanes go through together.
  bool Shared(const Stmt& stmt) const {
    if (ContainsRaw(stmt.body)) return false;
    if (stmt.kind == StmtKind::kFor) {
      return !IsStrip(stmt) && !Varies(*stmt.init) && !Varies(stmt.bound) &&
             !Varies(stmt.step);
    }
    if (stmt.kind == StmtKind::kIf) {
      return !Varies(stmt.expr) && !ContainsRaw(stmt.orelse);
    }
    return stmt.kind == StmtKind::kBlock;
  }

  // Executed once for all lanes.
  bool Uniform(const Stmt& stmt) const {
    if (IsSwap(stmt)) return true;
    if (stmt.kind == StmtKind::kDecl) return !varying_.contains(stmt.name);
    if (stmt.kind != StmtKind::kExpr || Varies(stmt.expr)) return false;
    return !IsAssignment(stmt.expr) ||
           local_.contains(ArrayName(stmt.expr.args[0]));
  }

  // Numbers the runs of statements that share one lane loop, and notes in
  // which runs each name occurs: in several, it needs a value per lane.
  void Partition(const StmtList& list) {
    ++run_;
    for (const Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kComment) continue;
      if (stmt.kind == StmtKind::kDecl && !stmt.dims.empty()) {
        homes_[stmt.name] = -1;
        if (LanesLast(stmt)) lanes_last_.insert(stmt.name);
      } else if (Shared(stmt)) {
        Partition(stmt.body);
        Partition(stmt.orelse);
        ++run_;
      } else if (Uniform(stmt)) {
        ++run_;
      } else {
        NoteUses(stmt);
      }
    }
    ++run_;
  }

  void NoteUses(const Stmt& stmt) {
    const auto note = [&](const std::string& name) {
      const auto [home, first] = homes_.try_emplace(name, run_);
      if (!first && home->second != run_) home->second = -1;
    };
    if (stmt.kind == StmtKind::kDecl) note(stmt.name);
    // What it declares for itself stays inside.
    std::set<std::string> own = DeclaredNames(stmt.body);
    own.merge(DeclaredNames(stmt.orelse));
    VisitParts(StmtList{stmt}, [&](const Expr& e) {
      if (e.kind == ExprKind::kName && !own.contains(e.text)) note(e.text);
    });
  }

  bool Expanded(const std::string& name) const {
    if (!varying_.contains(name) || !local_.contains(name)) return false;
    const auto home = homes_.find(name);
    return home != homes_.end() && home->second == -1 &&
           !IsLoopVariable(name) && !buffers_.contains(name);
  }

  bool IsLoopVariable(const std::string& name) const {
    return FindLoop(loop_.body, name) != nullptr;
  }

  StmtList Distribute(const StmtList& list) {
    StmtList result;
    StmtList run;
    const auto flush = [&] {
      if (!run.empty()) result.push_back(Lanes(std::move(run)));
      run.clear();
    };
    for (const Stmt& stmt : list) {
      if (stmt.kind == StmtKind::kComment) {
        (run.empty() ? result : run).push_back(stmt);
      } else if (stmt.kind == StmtKind::kDecl && Expanded(stmt.name)) {
        Expand(stmt, result, run);
      } else if (Shared(stmt)) {
        flush();
        Stmt shared = stmt;
        DropPragma(shared, "omp simd");
        shared.body = Distribute(stmt.body);
        shared.orelse = Distribute(stmt.orelse);
        result.push_back(std::move(shared));
      } else if (Uniform(stmt)) {
        flush();
        result.push_back(stmt);
      } else {
        run.push_back(stmt);
      }
    }
    flush();
    return result;
  }

  // Lanes of an array lie side by side, unless it is jammed already.
  bool LanesLast(const Stmt& decl) const {
    return !decl.dims.empty() && !holds_strips_;
  }

  // The elements of local arrays, each at its lane.
  void IndexArrays(StmtList& run) const {
    std::map<std::string, std::size_t> dimensions;
    VisitStmts(loop_.body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kDecl && LanesLast(stmt) &&
          Expanded(stmt.name)) {
        dimensions[stmt.name] = stmt.dims.size();
      }
    });
    const std::function<void(Expr&)> rewrite = [&](Expr& e) {
      const std::string array =
          e.kind == ExprKind::kIndex ? ArrayName(e) : std::string();
      const auto own = dimensions.find(array);
      const bool whole =
          own != dimensions.end() && Subscripts(e).size() == own->second;
      for (Expr& arg : e.args) rewrite(arg);
      if (whole) e = Index(std::move(e), Name(lane_));
      if (buffers_.contains(array)) {
        e.args[1] = Add(Mul(std::move(e.args[1]), Number(width_)), Name(lane_));
      }
    };
    VisitExprs(run, rewrite);
  }

  void Expand(const Stmt& decl, StmtList& result, StmtList& run) {
    Stmt array = decl;
    array.dims.insert(LanesLast(decl) ? array.dims.end() : array.dims.begin(),
                      Number(width_));
    // A pointer to constants may itself be set.
    if (array.type.find('*') == array.type.npos) {
      array.type = WithoutConst(array.type);
    }
    if (decl.dims.empty()) {
      array.init.reset();
      if (decl.init) {
        run.push_back(MakeExpr(Binary("=", Name(decl.name), *decl.init)));
      }
    }
    result.push_back(std::move(array));
  }

  // A fold under a condition becomes a fold of a conditional value, which
  // keeps the accumulator in a register.
  void FlattenBranch(Stmt& stmt) const {
    if (stmt.kind != StmtKind::kIf || !stmt.orelse.empty()) return;
    if (stmt.body.size() != 1 || stmt.body[0].kind != StmtKind::kExpr) return;
    Expr& inner = stmt.body[0].expr;
    if (inner.text != "+=" || inner.args[0].kind != ExprKind::kName) return;
    inner.args[1] = Ternary(stmt.expr, inner.args[1], Number(0));
    stmt = Stmt(stmt.body[0]);
  }

  Stmt Lanes(StmtList run) {
    for (Stmt& stmt : run) FlattenBranch(stmt);
    if (mask_) {
      std::set<std::string> own = OwnArrays(loop_.body);
      own.insert(buffers_.begin(), buffers_.end());
      auto masked =
          Masked(std::move(run), {*mask_, std::move(own), varying_, whole_});
      failed_ |= !masked;
      run = std::move(masked).value_or(StmtList{});
    }
    IndexArrays(run);
    for (const auto& scalar : homes_) {
      const std::string& name = scalar.first;
      if (!Expanded(name) || lanes_last_.contains(name)) continue;
      VisitStmts(run, [&](Stmt& stmt) { DropPragma(stmt, ":" + name + ")"); });
      Substitute(run, name, Index(Name(name), Name(lane_)));
    }
    Substitute(run, loop_.name, at_lane_);
    return LaneLoop(loop_, lane_, width_, std::move(run));
  }

  const Stmt& loop_;
  std::int64_t width_;
  std::string lane_;
  Expr at_lane_;
  std::set<std::string> varying_;
  std::set<std::string> whole_;  // Numbers of the kernel.
  std::set<std::string> local_;
  std::set<std::string> buffers_;
  std::set<std::string> lanes_last_;  // Arrays.
  bool holds_strips_ = false;
  std::map<std::string, int> homes_;  // The only run of a name, or -1.
  int run_ = 0;
  std::optional<Expr> mask_;
  bool failed_ = false;
};

bool HoldsBuffer(const StmtList& list) {
  return HasStmt(list, [](const Stmt& stmt) {
    return stmt.kind == StmtKind::kDecl &&
           (stmt.type.find("vector") != std::string::npos ||
            stmt.type.find("static") != std::string::npos);
  });
}

// A reference, or what follows the type of its value, makes no array.
bool NamesElements(const StmtList& list) {
  return HasStmt(list, [](const Stmt& stmt) {
    return stmt.kind == StmtKind::kDecl &&
           (stmt.type.find('&') != std::string::npos ||
            stmt.type.find("auto") != std::string::npos);
  });
}

// A function that is handed an array of the list's own, or changes what it is
// handed, knows nothing of lanes.
bool HandsOver(const StmtList& list) {
  std::set<std::string> handed = EffectsOf(list).handed;
  // A number of that name, in another branch, is handed by its value.
  VisitStmts(list, [&](const Stmt& stmt) {
    if (stmt.dims.empty()) handed.erase(stmt.name);
  });
  return HasStmt(list, [&](const Stmt& stmt) {
    return (stmt.kind == StmtKind::kExpr && IsCallAlone(stmt.expr)) ||
           (!stmt.dims.empty() && handed.contains(stmt.name));
  });
}

// The loop over what the whole strips leave.
std::optional<Stmt> TailLoop(const Stmt& loop, const Strips& strips,
                             Distributor& lanes, Tail tail) {
  Stmt rest = ScalarTail(loop, strips);
  DropPragma(rest, "omp parallel");
  if (tail == Tail::kScalar) return rest;
  auto body = lanes.Run(Binary("<", Name(loop.name), loop.bound));
  if (!body) return std::nullopt;
  rest.step = strips.step;
  rest.body = std::move(*body);
  DropPragma(rest, "omp simd");
  return rest;
}

}  // namespace

std::optional<StripBody> OnLanes(const Stmt& loop, std::int64_t width,
                                 const std::string& lane,
                                 const std::set<std::string>& buffers,
                                 const std::set<std::string>& rows) {
  if (HoldsBuffer(loop.body) || NamesElements(loop.body) ||
      HandsOver(loop.body)) {
    return std::nullopt;
  }
  Distributor lanes(loop, width, lane, buffers, rows);
  auto body = lanes.Run(std::nullopt);
  if (!body) return std::nullopt;
  return StripBody{std::move(*body), lanes.BuffersOnLanes()};
}

bool CanOverlap(const Stmt& loop) {
  const Effects effects = EffectsOf(loop.body);
  const std::set<std::string> local = DeclaredNames(loop.body);
  for (const std::string& array : effects.ReadArrays()) {
    if (!local.contains(array) && effects.WrittenArrays().contains(array)) {
      return false;
    }
  }
  return !effects.opaque && IntegerValue(loop.step) == 1;
}

Outcome Jam(const Site& site, const Stmt& loop, const Technique& technique) {
  const std::int64_t width = technique.IntArg(1).value_or(0);
  const auto tail = ParseTail(technique.Arg(2));
  if (width < 2 || !tail) return NoReason("there is no such loop here");
  if (IsStrip(loop)) return NoReason("the loop is a strip already");
  if (HoldsBuffer(loop.body)) {
    return NoReason("its iterations fill a buffer in turn");
  }
  if (NamesElements(loop.body)) {
    return NoReason("a name in it has no type of its own");
  }
  if (!EffectsOf(loop.body).opaque && HandsOver(loop.body)) {
    return NoReason("a function may change what it is handed");
  }
  const Independence independence = TestIndependence(loop, site.definitions);
  if (!independence.holds) return NoReason(independence.why_not);
  if (!independence.reductions.empty()) {
    return NoReason("the loop folds into `" +
                    independence.reductions[0].scalar + "`");
  }
  const Strips strips = CutIntoStrips(loop, width, site.constants);
  Distributor lanes(loop, width, site.Fresh(loop.name + "_lane"), {}, {},
                    WholeNumbersOf(site.kernel));
  StmtList body = *lanes.Run(std::nullopt);
  StmtList replacement;
  if (*tail == Tail::kOverlap && !strips.exact) {
    if (IntegerValue(loop.step) != 1) {
      return NoReason("a strip that is shifted back would miss its steps");
    }
    if (!CanOverlap(loop)) {
      return NoReason("it reads what it writes, so no strip may be redone");
    }
    replacement.push_back(OverlappingStrips(loop, strips, std::move(body),
                                            site.Fresh(loop.name + "_at")));
  } else {
    replacement.push_back(WholeStrips(loop, strips, std::move(body)));
    if (!strips.exact) {
      auto rest = TailLoop(loop, strips, lanes, *tail);
      if (!rest) rest = TailLoop(loop, strips, lanes, Tail::kScalar);
      replacement.push_back(std::move(*rest));
    }
  }
  auto helpers = MaximaByValue(replacement);
  return WithLoop(site, loop.name, std::move(replacement), std::move(helpers));
}

}  // namespace coppice::agents::catalogue
