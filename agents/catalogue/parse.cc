#include "agents/catalogue/parse.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agents/catalogue/parse_expr.h"

namespace coppice::agents::catalogue {
namespace {

using Tokens = std::vector<Token>;

// Deeper statements are raw text, so that trees can be walked by recursion.
constexpr int kDeepestStatement = 100;

class StmtParser {
 public:
  // `only_reads`: see ParseStmts.
  StmtParser(const Tokens& tokens, std::size_t& at, bool only_reads,
             Outside outside)
      : tokens_(tokens),
        at_(at),
        only_reads_(only_reads),
        outside_(std::move(outside)) {}

  StmtList List() {
    StmtList list;
    while (Here().kind != TokenKind::kEnd && !Is("}")) {
      if (Here().kind == TokenKind::kComment) {
        Comment(list);
      } else if (Here().kind == TokenKind::kDirective) {
        Directive(list);
      } else {
        Append(list);
      }
    }
    return list;
  }

 private:
  const Token& Here() const { return tokens_[at_]; }
  bool Is(const char* punct) const {
    return Here().kind == TokenKind::kPunct && Here().text == punct;
  }
  bool IsWord(const char* word) const {
    return Here().kind == TokenKind::kName && Here().text == word;
  }
  void SkipComments() {
    while (Here().kind == TokenKind::kComment) ++at_;
  }
  bool Accept(const char* punct) {
    SkipComments();
    if (!Is(punct)) return false;
    ++at_;
    return true;
  }

  // A comment behind a statement, on its line, belongs to the untouched text.
  void Comment(StmtList& list) {
    const Token& token = tokens_[at_++];
    if (!list.empty() && list.back().last_line == token.line) return;
    Stmt stmt;
    stmt.kind = StmtKind::kComment;
    stmt.text = token.text;
    stmt.first_line = token.line;
    stmt.last_line = token.end_line;
    list.push_back(std::move(stmt));
  }

  // Pragmas go with the loop or block that follows; others are raw.
  void Directive(StmtList& list) {
    const std::size_t start = at_;
    std::vector<std::string> pragmas;
    const int first_line = Here().line;
    while (Here().kind == TokenKind::kDirective &&
           Here().text.starts_with("#pragma")) {
      pragmas.push_back(tokens_[at_++].text);
    }
    if (!pragmas.empty() && (IsWord("for") || Is("{"))) {
      Append(list);
      list.back().pragmas = std::move(pragmas);
      list.back().first_line = first_line;
      return;
    }
    at_ = start;
    Stmt raw;
    raw.text = Here().text;
    raw.first_line = Here().line;
    raw.last_line = Here().end_line;
    list.push_back(std::move(raw));
    ++at_;
  }

  // One statement; declarations of several names become several.
  void Append(StmtList& list) {
    const std::size_t start = at_;
    const std::size_t before = list.size();
    const bool known =
        ++depth_ <= kDeepestStatement && Known(list) &&
        std::none_of(list.begin() + static_cast<long>(before), list.end(),
                     [&](const Stmt& stmt) { return DoesMore(stmt); });
    --depth_;
    if (!known) {
      list.resize(before);
      at_ = start;
      list.push_back(Raw());
    }
    for (std::size_t i = before; i < list.size(); ++i) {
      list[i].first_line = tokens_[start].line;
      list[i].last_line = tokens_[at_ - 1].end_line;
    }
  }

  // Than its expressions say, by a function that it calls.
  bool DoesMore(const Stmt& stmt) const {
    bool more = false;
    VisitOwnExprs(stmt, [&](const Expr& whole) {
      Visit(whole, [&](const Expr& e) {
        if (e.kind != ExprKind::kCall) return;
        const bool alone = stmt.kind == StmtKind::kExpr && &e == &whole;
        more |= outside_.reaching.contains(e.args[0].text) ||
                (!alone && outside_.changing.contains(e.args[0].text));
      });
    });
    return more;
  }

  bool Known(StmtList& list) {
    if (IsWord("for")) return Loop(list);
    if (IsWord("if")) return If(list);
    if (Is("{")) {
      Stmt block;
      block.kind = StmtKind::kBlock;
      if (!Body(block.body)) return false;
      list.push_back(std::move(block));
      return true;
    }
    std::size_t next = at_;
    if (auto type = ParseType(tokens_, next)) {
      at_ = next;
      return Declaration(*type, list);
    }
    auto expr = ParseExpr(tokens_, at_);
    if (!expr || !Accept(";")) return false;
    list.push_back(MakeExpr(Stepped(std::move(*expr))));
    return true;
  }

  // `++c` and `c++`, whose value nobody uses, as `c += 1`.
  static Expr Stepped(Expr expr) {
    if (IsAssignment(expr) || ChangedBy(expr) == nullptr) return expr;
    return Binary(expr.text == "++" ? "+=" : "-=", std::move(expr.args[0]),
                  Number(1));
  }

  bool Body(StmtList& body) {
    SkipComments();
    if (Accept("{")) {
      body = List();
      return Accept("}");
    }
    if (Here().kind == TokenKind::kDirective) {
      Directive(body);
    } else if (Here().kind != TokenKind::kEnd) {
      Append(body);
    }
    return !body.empty();
  }

  bool Declaration(const std::string& type, StmtList& list) {
    // In `float *p, s` the second is no pointer.
    const bool alone = type.find_first_of("*&") != std::string::npos;
    do {
      if (Here().kind != TokenKind::kName) return false;
      Stmt decl = MakeDecl(type, tokens_[at_++].text, std::nullopt);
      if (IsOfLoopAround(decl.name)) return false;
      while (Accept("[")) {
        auto dim = ParseExpr(tokens_, at_);
        if (!dim || !Accept("]")) return false;
        decl.dims.push_back(std::move(*dim));
      }
      if (Accept("=") || Is("{")) {
        decl.init = ParseExpr(tokens_, at_);
        if (!decl.init) return false;
      } else if (Accept("(")) {
        decl.init = Expr{ExprKind::kList, "(", {}};
        do {
          auto argument = ParseExpr(tokens_, at_);
          if (!argument) return false;
          decl.init->args.push_back(std::move(*argument));
        } while (Accept(","));
        if (!Accept(")")) return false;
      }
      if (Wraps(type) || (type.find("auto") != std::string::npos && decl.init &&
                          MayWrap(*decl.init, outside_.wrapping))) {
        outside_.wrapping.insert(decl.name);
      }
      list.push_back(std::move(decl));
    } while (!alone && Accept(","));
    return Accept(";");
  }

  bool If(StmtList& list) {
    ++at_;
    Stmt stmt;
    stmt.kind = StmtKind::kIf;
    if (!Accept("(")) return false;
    auto condition = ParseExpr(tokens_, at_);
    if (!condition || !Accept(")") || !Body(stmt.body)) return false;
    stmt.expr = std::move(*condition);
    SkipComments();
    if (IsWord("else")) {
      ++at_;
      if (!Body(stmt.orelse)) return false;
    }
    list.push_back(std::move(stmt));
    return true;
  }

  bool Loop(StmtList& list) {
    ++at_;
    if (!Accept("(")) return false;
    auto type = ParseType(tokens_, at_);
    if (!type || Here().kind != TokenKind::kName) return false;
    const std::string name = tokens_[at_++].text;
    if (IsOfLoopAround(name) || !Accept("=")) return false;
    auto init = ParseExpr(tokens_, at_);
    if (!init || !Counts(*type, *init) || !Accept(";")) return false;
    auto condition = ParseExpr(tokens_, at_);
    if (!condition || !Accept(";")) return false;
    const bool wraps = Wraps(*type) || MayWrap(*condition, outside_.wrapping);
    const bool may_wrap = wraps && !only_reads_;
    auto bound = UpperBound(*condition, name, may_wrap);
    auto advance = ParseExpr(tokens_, at_);
    if (!advance || !Accept(")")) return false;
    const Expr step = Stepped(std::move(*advance));
    if (!IsAssignment(step) || !IsName(step.args[0], name) ||
        Mentions(step.args[1], name)) {
      return false;
    }
    if (!bound) {
      auto low = LowerBound(*condition, name);
      return low && !may_wrap && step.text == "-=" &&
             IntegerValue(step.args[1]) == 1 &&
             Downward(name, *init, *low, list);
    }
    // The end of i < n - i is another one for each i.
    if (step.text != "+=" || Mentions(*bound, name)) return false;
    Stmt loop =
        MakeFor(name, std::move(*init), std::move(*bound), step.args[1], {});
    if (wraps && !Wraps(*type)) loop.unsigned_end = true;
    if (wraps) outside_.wrapping.insert(name);
    loop.type = std::move(*type);
    if (!LoopBody(name, loop.body)) return false;
    list.push_back(std::move(loop));
    return true;
  }

  bool LoopBody(const std::string& variable, StmtList& body) {
    around_.push_back(variable);
    const bool read = Body(body);
    around_.pop_back();
    return read;
  }

  // Two things of one name would be taken for one.
  bool IsOfLoopAround(const std::string& name) const {
    return std::find(around_.begin(), around_.end(), name) != around_.end();
  }

  // Strips of a variable that is no whole number would not end where it does.
  static bool Counts(const std::string& type, const Expr& init) {
    if (type.find_first_of("*&") != std::string::npos) return false;
    return IsWholeType(type) ||
           (type == "auto" && IntegerValue(init) && !MayWrap(init, {}));
  }

  // for (v = high; v >= low; --v) as a loop over v_down from 0 on, in which
  // `high - v_down` stands for v.  See KeepDownward.
  bool Downward(const std::string& name, const Expr& high, const Expr& low,
                StmtList& list) {
    Stmt loop = MakeFor(name + "_down", Number(0),
                        Sub(Add(high, Number(1)), low), Number(1), {});
    loop.text = name;
    loop.expr = Binary("-", high, Name(loop.name));
    if (Mentions(low, name) || !LoopBody(name, loop.body) ||
        MayAssign(loop.body, name, high)) {
      return false;
    }
    Substitute(loop.body, name, loop.expr);
    list.push_back(std::move(loop));
    return true;
  }

  // Is the name or what the bound is made of assigned in the list?
  static bool MayAssign(const StmtList& list, const std::string& name,
                        const Expr& high) {
    return ContainsRaw(list) || HasPart(list, [&](const Expr& e) {
             const Expr* changed = ChangedBy(e);
             if (changed == nullptr) return false;
             const std::string assigned = ArrayName(*changed);
             return assigned == name || Mentions(high, assigned);
           });
  }

  // e of `v >= e`; `v > e` is `v >= e + 1`.
  static std::optional<Expr> LowerBound(const Expr& condition,
                                        const std::string& name) {
    if (condition.kind != ExprKind::kBinary ||
        !IsName(condition.args[0], name)) {
      return std::nullopt;
    }
    if (condition.text == ">=") return condition.args[1];
    if (condition.text == ">") return Add(condition.args[1], Number(1));
    return std::nullopt;
  }

  // b of `v < b`; `v <= e` is `v < e + 1`, `v + c <= e` is `v < e - c + 1`,
  // unless e - c may wrap.
  static std::optional<Expr> UpperBound(const Expr& condition,
                                        const std::string& name,
                                        bool may_wrap) {
    if (condition.kind != ExprKind::kBinary) return std::nullopt;
    const bool inclusive = condition.text == "<=";
    if (!inclusive && condition.text != "<") return std::nullopt;
    const Expr& left = condition.args[0];
    Expr bound = condition.args[1];
    if (left.kind == ExprKind::kBinary && left.text == "+" &&
        IsName(left.args[0], name) && !may_wrap) {
      bound = Sub(std::move(bound), left.args[1]);
    } else if (!IsName(left, name)) {
      return std::nullopt;
    }
    return inclusive ? Add(std::move(bound), Number(1)) : bound;
  }

  // Through the `;` or the closing brace of the statement, as it was written.
  Stmt Raw() {
    Stmt raw;
    int depth = 0;
    int line = Here().line;
    do {
      if (Is("(") || Is("{") || Is("[")) ++depth;
      if (Is(")") || Is("}") || Is("]")) --depth;
      if (!raw.text.empty()) raw.text += Here().line > line ? '\n' : ' ';
      raw.text += Here().text;
      line = Here().end_line;
      const bool ends = depth <= 0 && (Is(";") || Is("}"));
      ++at_;
      if (ends && !IsWord("while") && !IsWord("else") && !Is(";")) break;
    } while (Here().kind != TokenKind::kEnd && !(depth == 0 && Is("}")));
    return raw;
  }

  const Tokens& tokens_;
  std::size_t& at_;
  const bool only_reads_;
  Outside outside_;
  std::vector<std::string> around_;  // Variables of loops.
  int depth_ = 0;
};

}  // namespace

StmtList ParseStmts(const Tokens& tokens, std::size_t& at, Outside outside) {
  return StmtParser(tokens, at, /*only_reads=*/false, std::move(outside))
      .List();
}

StmtList ParseStmts(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::size_t at = 0;
  return StmtParser(tokens, at, /*only_reads=*/true, {}).List();
}

Expr ParseExpr(std::string_view text) {
  const Tokens tokens = Tokenize(text);
  std::size_t at = 0;
  return ParseExpr(tokens, at).value_or(Expr{});
}

}  // namespace coppice::agents::catalogue
