#include "agents/catalogue/print.h"

#include <string_view>

namespace coppice::agents::catalogue {
namespace {

constexpr int kAssignment = 0;
constexpr int kConditional = 1;
constexpr int kPrefix = 20;
constexpr int kPostfix = 30;

int Precedence(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kBinary:
      return PrecedenceOf(expr.text);
    case ExprKind::kTernary:
      return kConditional;
    case ExprKind::kUnary:
    case ExprKind::kCast:
      return kPrefix;
    default:
      return kPostfix;
  }
}

std::string Joined(const std::vector<Expr>& args, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < args.size(); ++i) {
    if (i > from) text += ", ";
    text += Print(args[i]);
  }
  return text;
}

std::string AtLeast(const Expr& expr, int precedence) {
  std::string text = Print(expr);
  return Precedence(expr) < precedence ? "(" + text + ")" : text;
}

std::string PrintUnary(const Expr& expr) {
  std::string operand = AtLeast(expr.args[0], kPrefix);
  // "- -x" must not become "--x".
  if (operand.front() == expr.text.front()) operand = "(" + operand + ")";
  return expr.text + operand;
}

std::string PrintBinary(const Expr& expr) {
  const int own = PrecedenceOf(expr.text);
  if (own == kAssignment) {  // Groups to the right.
    return AtLeast(expr.args[0], kConditional + 1) + " " + expr.text + " " +
           AtLeast(expr.args[1], kAssignment);
  }
  return AtLeast(expr.args[0], own) + " " + expr.text + " " +
         AtLeast(expr.args[1], own + 1);
}

class StmtPrinter {
 public:
  std::string text;

  void List(const StmtList& list, int indent) {
    for (const Stmt& stmt : list) One(stmt, indent);
  }

 private:
  void Line(int indent, std::string_view content) {
    if (!content.empty() && content.front() != '#') {
      text.append(static_cast<std::size_t>(indent), ' ');
    }
    text += content;
    text += '\n';
  }

  void Block(int indent, const std::string& head, const StmtList& body,
             const std::string& tail) {
    Line(indent, head + "{");
    List(body, indent + 2);
    Line(indent, "}" + tail);
  }

  void One(const Stmt& stmt, int indent) {
    for (const std::string& pragma : stmt.pragmas) Line(indent, pragma);
    switch (stmt.kind) {
      case StmtKind::kFor:
        Block(indent, LoopHead(stmt), stmt.body, "");
        break;
      case StmtKind::kIf:
        If(stmt, indent);
        break;
      case StmtKind::kBlock:
        Block(indent, "", stmt.body, "");
        break;
      case StmtKind::kDecl:
        Line(indent, Declaration(stmt));
        break;
      case StmtKind::kExpr:
        Line(indent, Print(stmt.expr) + ";");
        break;
      case StmtKind::kComment:
      case StmtKind::kRaw:
        Line(indent, stmt.text);
        break;
    }
  }

  void If(const Stmt& stmt, int indent) {
    const std::string head = "if (" + Print(stmt.expr) + ") ";
    if (stmt.orelse.empty()) {
      Block(indent, head, stmt.body, "");
      return;
    }
    Block(indent, head, stmt.body, " else {");
    List(stmt.orelse, indent + 2);
    Line(indent, "}");
  }

  static std::string LoopHead(const Stmt& loop) {
    const std::string step = IntegerValue(loop.step) == 1
                                 ? "++" + loop.name
                                 : loop.name + " += " + Print(loop.step);
    return "for (" + loop.type + " " + loop.name + " = " + Print(*loop.init) +
           "; " + loop.name + " < " +
           AtLeast(loop.bound, PrecedenceOf("<") + 1) + "; " + step + ") ";
  }

  static std::string Declaration(const Stmt& decl) {
    std::string line = decl.type + " " + decl.name;
    for (const Expr& dim : decl.dims) line += "[" + Print(dim) + "]";
    if (decl.init) {
      const bool constructed =
          decl.init->kind == ExprKind::kList && decl.init->text == "(";
      line += constructed ? "(" + Joined(decl.init->args, 0) + ")"
                          : " = " + Print(*decl.init);
    }
    return line + ";";
  }
};

}  // namespace

std::string Print(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber:
    case ExprKind::kName:
    case ExprKind::kString:
      return expr.text;
    case ExprKind::kUnary:
      return PrintUnary(expr);
    case ExprKind::kPostfix:
      return AtLeast(expr.args[0], kPostfix) + expr.text;
    case ExprKind::kBinary:
      return PrintBinary(expr);
    case ExprKind::kTernary:
      return AtLeast(expr.args[0], kConditional + 1) + " ? " +
             AtLeast(expr.args[1], kConditional) + " : " +
             AtLeast(expr.args[2], kConditional);
    case ExprKind::kCall:
      return AtLeast(expr.args[0], kPostfix) + "(" + Joined(expr.args, 1) + ")";
    case ExprKind::kIndex:
      return AtLeast(expr.args[0], kPostfix) + "[" + Print(expr.args[1]) + "]";
    case ExprKind::kMember:
      return AtLeast(expr.args[0], kPostfix) + "." + expr.text;
    case ExprKind::kCast:
      return "(" + expr.text + ")" + AtLeast(expr.args[0], kPrefix);
    case ExprKind::kList:
      return "{" + Joined(expr.args, 0) + "}";
  }
  return "";
}

std::string Print(const StmtList& list, int indent) {
  StmtPrinter printer;
  printer.List(list, indent);
  return std::move(printer.text);
}

}  // namespace coppice::agents::catalogue
