#include "agents/catalogue/stmt.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "agents/catalogue/token.h"

namespace coppice::agents::catalogue {
namespace {

// Const or not.
template <class AnyStmt, class Visit>
void VisitOwn(AnyStmt& stmt, const Visit& visit) {
  for (auto& dim : stmt.dims) visit(dim);
  if (stmt.init) visit(*stmt.init);
  if (stmt.kind == StmtKind::kFor) {
    visit(stmt.bound);
    visit(stmt.step);
  }
  if (stmt.kind == StmtKind::kIf || stmt.kind == StmtKind::kExpr) {
    visit(stmt.expr);
  }
}

// The pragma with another name wherever it stands in parentheses.
std::string WithClausesOf(const std::string& pragma, std::string_view name,
                          const std::string& to) {
  std::string result, word;
  int depth = 0;
  for (const char c : pragma + '\n') {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
      continue;
    }
    result += depth > 0 && word == name ? to : word;
    word.clear();
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    result += c;
  }
  result.pop_back();
  return result;
}

// Each name in raw text, with the tokens in front of it, if any, and behind.
template <class Visit>
void VisitRawNames(const StmtList& list, const Visit& visit) {
  VisitStmts(list, [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::kRaw) return;
    const auto tokens = Tokenize(stmt.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != TokenKind::kName) continue;
      visit(i > 0 ? &tokens[i - 1] : nullptr, tokens[i], tokens[i + 1]);
    }
  });
}

}  // namespace

Stmt MakeFor(std::string name, Expr init, Expr bound, Expr step,
             StmtList body) {
  Stmt loop;
  loop.kind = StmtKind::kFor;
  loop.type = "int64_t";
  loop.name = std::move(name);
  loop.init = std::move(init);
  loop.bound = std::move(bound);
  loop.step = std::move(step);
  loop.body = std::move(body);
  return loop;
}

Stmt MakeDecl(std::string type, std::string name, std::optional<Expr> init) {
  Stmt decl;
  decl.kind = StmtKind::kDecl;
  decl.type = std::move(type);
  decl.name = std::move(name);
  decl.init = std::move(init);
  return decl;
}

Stmt MakeArray(std::string type, std::string name, std::vector<Expr> dims) {
  Stmt decl = MakeDecl(std::move(type), std::move(name), std::nullopt);
  decl.dims = std::move(dims);
  return decl;
}

Stmt MakeVector(const std::string& element, std::string name,
                std::vector<Expr> arguments) {
  return MakeDecl("std::vector<" + element + ">", std::move(name),
                  Expr{ExprKind::kList, "(", std::move(arguments)});
}

Stmt MakeIf(Expr condition, StmtList body, StmtList orelse) {
  Stmt choice;
  choice.kind = StmtKind::kIf;
  choice.expr = std::move(condition);
  choice.body = std::move(body);
  choice.orelse = std::move(orelse);
  return choice;
}

Stmt MakeBlock(StmtList body) {
  Stmt block;
  block.kind = StmtKind::kBlock;
  block.body = std::move(body);
  return block;
}

Stmt MakeExpr(Expr expr) {
  Stmt stmt;
  stmt.kind = StmtKind::kExpr;
  stmt.expr = std::move(expr);
  return stmt;
}

void Append(StmtList& list, StmtList more) {
  list.insert(list.end(), std::make_move_iterator(more.begin()),
              std::make_move_iterator(more.end()));
}

void VisitStmts(const StmtList& list,
                const std::function<void(const Stmt&)>& visit) {
  for (const Stmt& stmt : list) {
    visit(stmt);
    VisitStmts(stmt.body, visit);
    VisitStmts(stmt.orelse, visit);
  }
}

void VisitStmts(StmtList& list, const std::function<void(Stmt&)>& visit) {
  for (Stmt& stmt : list) {
    visit(stmt);
    VisitStmts(stmt.body, visit);
    VisitStmts(stmt.orelse, visit);
  }
}

void VisitOwnExprs(const Stmt& stmt,
                   const std::function<void(const Expr&)>& visit) {
  VisitOwn(stmt, visit);
}

void VisitOwnExprs(Stmt& stmt, const std::function<void(Expr&)>& visit) {
  VisitOwn(stmt, visit);
}

void VisitExprs(const StmtList& list,
                const std::function<void(const Expr&)>& visit) {
  VisitStmts(list, [&](const Stmt& stmt) { VisitOwn(stmt, visit); });
}

void VisitExprs(StmtList& list, const std::function<void(Expr&)>& visit) {
  VisitStmts(list, [&](Stmt& stmt) { VisitOwn(stmt, visit); });
}

void VisitParts(const StmtList& list,
                const std::function<void(const Expr&)>& visit) {
  VisitExprs(list, [&](const Expr& whole) { Visit(whole, visit); });
}

bool HasStmt(const StmtList& list,
             const std::function<bool(const Stmt&)>& is_such) {
  bool found = false;
  VisitStmts(list, [&](const Stmt& stmt) { found |= is_such(stmt); });
  return found;
}

bool HasPart(const StmtList& list,
             const std::function<bool(const Expr&)>& is_such) {
  bool found = false;
  VisitParts(list, [&](const Expr& part) { found |= is_such(part); });
  return found;
}

void RewriteParts(StmtList& list, const std::function<bool(Expr&)>& replace) {
  VisitExprs(list, [&](Expr& whole) { Rewrite(whole, replace); });
}

bool Mentions(const StmtList& list, std::string_view name) {
  return MentionsAny(list, {std::string(name)});
}

bool MentionsAny(const StmtList& list, const std::set<std::string>& names) {
  bool found = false;
  VisitExprs(list, [&](const Expr& e) { found |= MentionsAny(e, names); });
  for (const std::string& name : NamesInRaw(list)) {
    found |= names.contains(name);
  }
  return found;
}

void Substitute(StmtList& list, std::string_view name,
                const Expr& replacement) {
  VisitExprs(
      list, [&](Expr& e) { e = Substituted(std::move(e), name, replacement); });
}

void Rename(StmtList& list, std::string_view name, const std::string& to) {
  Substitute(list, name, Name(to));
  VisitStmts(list, [&](Stmt& stmt) {
    if (stmt.name == name) stmt.name = to;
    for (std::string& pragma : stmt.pragmas) {
      pragma = WithClausesOf(pragma, name, to);
    }
  });
}

bool ContainsLoop(const StmtList& list) {
  return HasStmt(list, [](const Stmt& s) { return s.kind == StmtKind::kFor; });
}

bool ContainsRaw(const StmtList& list) {
  return HasStmt(list, [](const Stmt& s) { return s.kind == StmtKind::kRaw; });
}

std::set<std::string> NamesInRaw(const StmtList& list) {
  std::set<std::string> names;
  VisitRawNames(list, [&](const Token*, const Token& name, const Token&) {
    names.insert(name.text);
  });
  return names;
}

std::set<std::string> AssignedInRaw(const StmtList& list) {
  const auto changes = [](const Token& token) {
    return token.kind == TokenKind::kPunct &&
           (token.text == "++" || token.text == "--" ||
            (token.text.ends_with('=') && PrecedenceOf(token.text) == 0));
  };
  std::set<std::string> names;
  VisitRawNames(
      list, [&](const Token* before, const Token& name, const Token& behind) {
        if (changes(behind) || (before != nullptr && changes(*before) &&
                                !before->text.ends_with('='))) {
          names.insert(name.text);
        }
      });
  return names;
}

bool MayBreak(const StmtList& list) {
  return std::any_of(list.begin(), list.end(), [](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kRaw) {
      const auto tokens = Tokenize(stmt.text);
      const std::string& first = tokens.front().text;
      const bool takes_breaks = first == "while" || first == "for" ||
                                first == "do" || first == "switch";
      return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
        return token.kind == TokenKind::kName &&
               (token.text == "goto" ||
                (token.text == "break" && !takes_breaks));
      });
    }
    // The breaks of a loop within are its own.
    const bool is_loop = stmt.kind == StmtKind::kFor;
    return (!is_loop && MayBreak(stmt.body)) || MayBreak(stmt.orelse);
  });
}

bool HoldsThreads(const Stmt& stmt) {
  return HasStmt({stmt}, [](const Stmt& inner) {
    return HasPragma(inner, "omp parallel");
  });
}

bool HasPragma(const Stmt& stmt, std::string_view part) {
  return std::any_of(stmt.pragmas.begin(), stmt.pragmas.end(),
                     [&](const std::string& pragma) {
                       return pragma.find(part) != std::string::npos;
                     });
}

void DropPragma(Stmt& stmt, std::string_view part) {
  std::erase_if(stmt.pragmas, [&](const std::string& pragma) {
    return pragma.find(part) != std::string::npos;
  });
}

StmtList WithoutComments(const StmtList& list) {
  StmtList rest = list;
  std::erase_if(
      rest, [](const Stmt& stmt) { return stmt.kind == StmtKind::kComment; });
  return rest;
}

const Stmt* OnlyLoop(const StmtList& list) {
  const Stmt* loop = nullptr;
  for (const Stmt& stmt : list) {
    if (stmt.kind == StmtKind::kComment) continue;
    if (stmt.kind != StmtKind::kFor || loop != nullptr) return nullptr;
    loop = &stmt;
  }
  return loop;
}

const std::vector<Expr>* VectorArguments(const Stmt& decl) {
  const bool is_vector = decl.kind == StmtKind::kDecl &&
                         decl.type.starts_with("std::vector<") && decl.init &&
                         decl.init->text == "(" && !decl.init->args.empty();
  return is_vector ? &decl.init->args : nullptr;
}

std::string VectorElement(const Stmt& decl) {
  constexpr std::size_t kBefore = std::string_view("std::vector<").size();
  return decl.type.substr(kBefore, decl.type.size() - kBefore - 1);
}

std::string DeclaredType(const StmtList& list, const std::string& scalar) {
  std::string type;
  VisitStmts(list, [&](const Stmt& stmt) {
    if (stmt.kind == StmtKind::kDecl && stmt.name == scalar) type = stmt.type;
  });
  return type;
}

std::string WithoutConst(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

bool IsWholeType(const std::string& type) {
  const auto holds = [&](const char* word) {
    return type.find(word) != std::string::npos;
  };
  if (holds("float") || holds("double")) return false;
  return holds("int") || holds("long") || holds("short") || holds("char") ||
         holds("size_t") || holds("ptrdiff_t") || holds("unsigned");
}

bool Wraps(const std::string& type) {
  const auto holds = [&](const char* word) {
    return type.find(word) != std::string::npos;
  };
  return holds("size_t") || holds("uint32") || holds("uint64") ||
         (holds("unsigned") && !holds("char") && !holds("short"));
}

bool MayWrap(const Expr& expr, const std::set<std::string>& wrapping) {
  return MentionsAny(expr, wrapping) || HasPart(expr, [](const Expr& e) {
           const std::string called = CalledFunction(e);
           return (e.kind == ExprKind::kCast && Wraps(e.text)) ||
                  (called.starts_with("static_cast") && Wraps(called)) ||
                  called == "sizeof" ||
                  (e.kind == ExprKind::kMember && e.text == "size") ||
                  (e.kind == ExprKind::kNumber &&
                   e.text.find_first_of("uU") != e.text.npos);
         });
}

bool MayWrap(const Stmt& loop) { return loop.unsigned_end || Wraps(loop.type); }

std::optional<std::int64_t> ConstantTrips(const Stmt& loop) {
  if (loop.kind != StmtKind::kFor) return std::nullopt;
  const auto low = IntegerValue(*loop.init);
  const auto high = IntegerValue(loop.bound);
  const auto step = IntegerValue(loop.step);
  if (!low || !high || !step || *step <= 0) return std::nullopt;
  return std::max<std::int64_t>(0, (*high - *low + *step - 1) / *step);
}

bool CountsFromZero(const Stmt& loop) {
  return IntegerValue(*loop.init) == 0 && IntegerValue(loop.step) == 1;
}

bool IsPlain(const Stmt& loop) {
  return IntegerValue(loop.step) == 1 && loop.pragmas.empty() && !MayWrap(loop);
}

bool IsStrip(const Stmt& stmt) {
  if (!ConstantTrips(stmt)) return false;
  if (HasPragma(stmt, "omp simd") && !ContainsLoop(stmt.body)) return true;
  return !stmt.body.empty() &&
         std::all_of(stmt.body.begin(), stmt.body.end(),
                     [](const Stmt& s) { return IsStrip(s); });
}

std::set<std::string> Aliases(const StmtList& list) {
  std::set<std::string> names, used;
  VisitParts(list, [&](const Expr& e) {
    if (e.kind == ExprKind::kIndex) used.insert(ArrayName(e));
  });
  // One without a type is a pointer if it is subscripted, or begins one.
  for (std::size_t before = 0; before != used.size();) {
    before = used.size();
    VisitStmts(list, [&](const Stmt& stmt) {
      if (stmt.kind != StmtKind::kDecl) return;
      const bool points = stmt.type.find_first_of("*&") != std::string::npos;
      const bool is_auto = stmt.type.find("auto") != std::string::npos;
      if (!points && !(is_auto && used.contains(stmt.name))) return;
      names.insert(stmt.name);
      if (!stmt.init) return;
      const Expr* base = &*stmt.init;
      while (!base->args.empty()) base = &base->args[0];
      used.insert(base->text);
    });
  }
  return names;
}

std::set<std::string> DeclaredNames(const StmtList& list) {
  std::set<std::string> names;
  VisitStmts(list, [&](const Stmt& stmt) {
    if (!stmt.name.empty()) names.insert(stmt.name);
  });
  return names;
}

}  // namespace coppice::agents::catalogue
