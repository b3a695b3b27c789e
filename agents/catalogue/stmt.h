// Statements of a kernel: a plain value tree.
//
// A loop is kept only in the canonical form
//     for (type name = init; name < bound; name += step)
// with a step that is not negative; any other statement that the parser does
// not know is kRaw text, which every analysis takes for the worst.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agents/catalogue/expr.h"

namespace coppice::agents::catalogue {

enum class StmtKind {
  kFor,      // type name = init; name < bound; name += step; body
  kIf,       // expr; body; orelse
  kBlock,    // body
  kDecl,     // type name dims = init (or (init...) if init is a kList of "(")
  kExpr,     // expr
  kComment,  // text
  kRaw,      // text; may span lines
};

struct Stmt {
  StmtKind kind = StmtKind::kRaw;
  std::vector<std::string> pragmas;  // Lines in front of a loop or block.
  std::string text;  // Of a loop that was written downwards: its variable.
  std::string type;
  std::string name;
  std::vector<Expr> dims;    // Of a declared array.
  std::optional<Expr> init;  // A constructor's arguments: kList, text "(".
  Expr bound;
  Expr step;
  Expr expr;                  // Of such a loop: what stands for that variable.
  bool unsigned_end = false;  // A loop's end is a number without a sign.
  std::vector<Stmt> body;
  std::vector<Stmt> orelse;
  int first_line = 0;  // In the source it came from, pragmas included; from 1.
  int last_line = 0;   // Inclusive.  Both 0 in a statement that was made.
};

using StmtList = std::vector<Stmt>;

// Builders.
Stmt MakeFor(std::string name, Expr init, Expr bound, Expr step, StmtList body);
Stmt MakeDecl(std::string type, std::string name, std::optional<Expr> init);
Stmt MakeArray(std::string type, std::string name, std::vector<Expr> dims);
// std::vector<element> name(arguments);
Stmt MakeVector(const std::string& element, std::string name,
                std::vector<Expr> arguments);
Stmt MakeExpr(Expr expr);
Stmt MakeIf(Expr condition, StmtList body, StmtList orelse = {});
Stmt MakeBlock(StmtList body);

void Append(StmtList& list, StmtList more);

// Visits each statement and those it holds, parents first.
void VisitStmts(const StmtList& list,
                const std::function<void(const Stmt&)>& visit);
void VisitStmts(StmtList& list, const std::function<void(Stmt&)>& visit);

// Visits each whole expression: bounds, conditions, initial values, ...
void VisitOwnExprs(const Stmt& stmt,
                   const std::function<void(const Expr&)>& visit);
void VisitOwnExprs(Stmt& stmt, const std::function<void(Expr&)>& visit);
void VisitExprs(const StmtList& list,
                const std::function<void(const Expr&)>& visit);
void VisitExprs(StmtList& list, const std::function<void(Expr&)>& visit);

// The same, of each of these with all that it holds, parents first.
void VisitParts(const StmtList& list,
                const std::function<void(const Expr&)>& visit);
void RewriteParts(StmtList& list, const std::function<bool(Expr&)>& replace);

// Whether the list holds such a statement, or such a part of an expression.
bool HasStmt(const StmtList& list,
             const std::function<bool(const Stmt&)>& is_such);
bool HasPart(const StmtList& list,
             const std::function<bool(const Expr&)>& is_such);

// Also in what is raw, where nothing is substituted or renamed.
bool Mentions(const StmtList& list, std::string_view name);
bool MentionsAny(const StmtList& list, const std::set<std::string>& names);
void Substitute(StmtList& list, std::string_view name, const Expr& replacement);
// Also where the name is declared, and in the clauses of pragmas.
void Rename(StmtList& list, std::string_view name, const std::string& to);

bool ContainsLoop(const StmtList& list);
bool ContainsRaw(const StmtList& list);
// The names in what is raw, and those of them that it assigns.
std::set<std::string> NamesInRaw(const StmtList& list);
std::set<std::string> AssignedInRaw(const StmtList& list);
// Holds a `break` or a `goto` that may end a loop around the list.
bool MayBreak(const StmtList& list);
bool HasPragma(const Stmt& stmt, std::string_view part);
bool HoldsThreads(const Stmt& stmt);  // It or what it holds runs on threads.
void DropPragma(Stmt& stmt, std::string_view part);

StmtList WithoutComments(const StmtList& list);

// The one statement of the list, but for comments, if it is a loop; or null.
const Stmt* OnlyLoop(const StmtList& list);

// The arguments of a declaration that MakeVector may have made; null if it is
// none, or has none.
const std::vector<Expr>* VectorArguments(const Stmt& decl);
std::string VectorElement(const Stmt& decl);  // Of such.

// The type that a scalar is declared with in the list; empty if it is not.
std::string DeclaredType(const StmtList& list, const std::string& scalar);

std::string WithoutConst(std::string type);

// Does the type, or that of an array's elements, hold whole numbers?
bool IsWholeType(const std::string& type);

// Numbers without a sign, whose differences wrap where others fall below 0.
bool Wraps(const std::string& type);

// Is it computed from such numbers?  `wrapping`: the names of those.
bool MayWrap(const Expr& expr, const std::set<std::string>& wrapping);

// Is its variable or its end such a number?
bool MayWrap(const Stmt& loop);

// Number of iterations if it is a literal.
std::optional<std::int64_t> ConstantTrips(const Stmt& loop);

// for (v = 0; v < bound; ++v)
bool CountsFromZero(const Stmt& loop);

// By 1, with a sign, and without pragmas.
bool IsPlain(const Stmt& loop);

// A loop of constant length that was made to become vector or unrolled code:
// simd, or one that holds nothing but such loops.
bool IsStrip(const Stmt& stmt);

// The pointers and references that the list declares, which name what may be
// declared elsewhere.
std::set<std::string> Aliases(const StmtList& list);

// The names that the list declares, at any depth, loop variables included.
std::set<std::string> DeclaredNames(const StmtList& list);

}  // namespace coppice::agents::catalogue
