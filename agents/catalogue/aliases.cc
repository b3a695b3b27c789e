#include "agents/catalogue/aliases.h"

#include <map>
#include <set>

#include "agents/catalogue/effects.h"

namespace coppice::agents::catalogue {
namespace {

using Names = std::set<std::string>;

// What a pointer or a reference with such a value leads to.
void AddBases(const Expr& value, Names& bases) {
  switch (value.kind) {
    case ExprKind::kName:
      bases.insert(value.text);
      return;
    case ExprKind::kTernary:
      AddBases(value.args[1], bases);
      AddBases(value.args[2], bases);
      return;
    case ExprKind::kCall:
      // static_cast<float*>(c), or c.data().
      AddBases(value.args.size() > 1 ? value.args[1] : value.args[0], bases);
      return;
    case ExprKind::kNumber:
    case ExprKind::kString:
    case ExprKind::kList:
      return;
    default:
      AddBases(value.args[0], bases);
      return;
  }
}

class Origins {
 public:
  explicit Origins(const StmtList& body) {
    const Names pointers = Aliases(body);
    VisitStmts(body, [&](const Stmt& stmt) {
      if (stmt.kind == StmtKind::kDecl && stmt.init &&
          pointers.contains(stmt.name)) {
        AddBases(*stmt.init, bases_[stmt.name]);
      }
    });
  }

  // What it leads to in the end; itself if it is no pointer.
  Names Of(const std::string& name) const {
    Names ends, seen;
    Follow(name, ends, seen);
    return ends;
  }

 private:
  void Follow(const std::string& name, Names& ends, Names& seen) const {
    if (!seen.insert(name).second) return;
    const auto known = bases_.find(name);
    if (known == bases_.end() || known->second.empty()) {
      ends.insert(name);
      return;
    }
    for (const std::string& base : known->second) Follow(base, ends, seen);
  }

  std::map<std::string, Names> bases_;
};

}  // namespace

std::string TwoNamesOfOne(const StmtList& body, const StmtList& list) {
  const Origins origins(body);
  const Effects effects = EffectsOf(list);
  Names used = effects.Written();
  used.merge(effects.ReadArrays());
  used.insert(effects.reads.begin(), effects.reads.end());
  const Names own = DeclaredNames(list);
  for (const std::string& written : effects.Written()) {
    if (own.contains(written)) continue;
    const Names ends = origins.Of(written);
    for (const std::string& other : used) {
      if (other == written || own.contains(other)) continue;
      for (const std::string& end : origins.Of(other)) {
        if (ends.contains(end)) {
          return "`" + written + "` and `" + other + "` may be one";
        }
      }
    }
  }
  return "";
}

}  // namespace coppice::agents::catalogue
