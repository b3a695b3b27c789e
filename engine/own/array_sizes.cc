#include "engine/own/array_sizes.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <utility>

#include "agents/catalogue/print.h"
#include "agents/catalogue/range.h"
#include "agents/catalogue/token.h"

namespace coppice::engine::own {
namespace {

using namespace agents::catalogue;  // NOLINT(google-build-using-namespace)

// Whether the word before a bracket calls a function.
bool MayCall(const Token& word) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"if", "while", "for", "switch", "return", "sizeof"});
  return word.kind == TokenKind::kName &&
         std::ranges::find(kOthers, word.text) == kOthers.end();
}

struct Place {
  std::string array;
  Expr offset;
};

struct Seen {
  Poly index;
  Definitions definitions;  // Of local names, as they were there.
  std::vector<const Stmt*> loops;
};

// A place that a function is given, and the sizes that it is given with.
struct Given {
  Seen place;
  std::vector<std::string> sizes;
};

void AddNew(const std::string& name, std::vector<std::string>& names) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// At sizes that are far from each other, so that sums and products differ.
double Sample(const Poly& poly) {
  double sum = 0.0;
  for (const auto& [monomial, coefficient] : poly.Terms()) {
    double product = static_cast<double>(coefficient);
    for (const std::string& name : monomial) {
      std::size_t mix = 7;
      for (const char c : name) mix = mix * 31 + static_cast<unsigned char>(c);
      product *= 1000.0 + static_cast<double>(mix % 97);
    }
    sum += product;
  }
  return sum;
}

// Only products have a quotient.
std::optional<Poly> Quotient(const Poly& whole, const Poly& part) {
  if (whole.Terms().size() != 1 || part.Terms().size() != 1) return {};
  const auto& [names, factor] = *whole.Terms().begin();
  const auto& [divisor, by] = *part.Terms().begin();
  if (factor % by != 0) return {};
  Monomial rest = names;
  for (const std::string& name : divisor) {
    const auto found = std::ranges::find(rest, name);
    if (found == rest.end()) return {};
    rest.erase(found);
  }
  Poly quotient(factor / by);
  for (const std::string& name : rest)
    quotient = quotient * Poly::Variable(name);
  return quotient;
}

class Reader {
 public:
  Reader(const std::set<std::string>& arrays,
         const std::set<std::string>& sizes, Definitions definitions)
      : arrays_(arrays), sizes_(sizes), definitions_(std::move(definitions)) {}

  ArraySizes Read(const StmtList& body) {
    NoteChanging(body);
    Walk(body);
    for (const auto& [array, places] : seen_) {
      if (moved_.contains(array)) continue;
      std::optional<Poly> most;
      const Seen* widest = nullptr;
      for (const Seen& seen : places) {
        const auto found = ExtentOf(seen);
        if (!found) continue;
        const Poly& extent = *found;
        if (most && Sample(extent) <= Sample(*most)) continue;
        most = extent;
        widest = &seen;
      }
      if (most) extents_.dims[array] = Dims(*most, *widest);
    }
    for (const auto& [array, places] : seen_) {
      if (moved_.contains(array)) continue;
      for (const Seen& seen : places) Propose(array, ProposalOf(seen));
    }
    for (const auto& [array, places] : given_) {
      for (const Given& given : places) {
        ProposedShape proposal = ProposalOf(given.place);
        if (proposal.axes.size() < 2) proposal.axes = given.sizes;
        if (proposal.in_row.empty()) proposal.in_row = given.sizes;
        Propose(array, proposal);
      }
    }
    return std::move(extents_);
  }

 private:
  // The one with the most axes is the best.
  void Propose(const std::string& array, const ProposedShape& one) {
    ProposedShape& best = extents_.proposed[array];
    if (one.axes.size() > best.axes.size()) best.axes = one.axes;
    for (const std::string& name : one.in_row) AddNew(name, best.in_row);
  }

  // Sizes that a name in a subscript goes along: its own, those that are named
  // in what it stands for, or else those of the loops around it.
  void Reach(const std::string& name, const Seen& seen,
             std::vector<std::string>& sizes,
             std::set<std::string>& met) const {
    if (!met.insert(name).second) return;
    if (sizes_.contains(name)) return AddNew(name, sizes);
    if (name.starts_with("`")) {
      if (name.find('[') != name.npos) return;
      const auto tokens = Tokenize(name.substr(1));
      const bool names_size = std::ranges::any_of(
          tokens,
          [&](const Token& token) { return sizes_.contains(token.text); });
      for (const Token& token : tokens) {
        if (token.kind != TokenKind::kName) continue;
        if (names_size && !sizes_.contains(token.text)) continue;
        Reach(token.text, seen, sizes, met);
      }
      return;
    }
    for (const Stmt* loop : seen.loops) {
      if (loop->name != name) continue;
      const Poly bound = ToPoly(loop->bound, seen.definitions);
      for (const auto& [monomial, coefficient] : bound.Terms()) {
        for (const std::string& one : monomial) {
          if (one != name) Reach(one, seen, sizes, met);
        }
      }
    }
  }

  // Rows by what the largest stride is multiplied with, then the strides.
  ProposedShape ProposalOf(const Seen& seen) const {
    ProposedShape proposal;
    std::set<std::string> met_in_row;
    std::set<std::string> met_in_rows;
    std::vector<std::pair<Poly, Monomial>> strided;
    for (const auto& [monomial, coefficient] : seen.index.Terms()) {
      Poly stride(coefficient);
      Monomial along;
      for (const std::string& name : monomial) {
        if (sizes_.contains(name)) {
          stride = stride * Poly::Variable(name);
        } else {
          along.push_back(name);
        }
      }
      if (along.empty() || coefficient < 0) continue;
      if (stride.Constant() != 1) {
        strided.emplace_back(stride, along);
        continue;
      }
      for (const std::string& name : along)
        Reach(name, seen, proposal.in_row, met_in_row);
    }
    if (strided.empty()) {
      proposal.axes = proposal.in_row;
      return proposal;
    }
    std::ranges::sort(strided, [](const auto& a, const auto& b) {
      return Sample(a.first) > Sample(b.first);
    });
    for (const std::string& name : strided.front().second) {
      Reach(name, seen, proposal.axes, met_in_rows);
    }
    // Rows that are picked by an element of an array.
    if (proposal.axes.empty()) proposal.axes.emplace_back("ROWS");
    const auto push = [&](const Poly& size) {
      std::string text = Print(ToExpr(size));
      std::erase(text, ' ');
      if (text != "1") proposal.axes.push_back(std::move(text));
    };
    for (std::size_t i = 0; i < strided.size(); ++i) {
      const Poly& stride = strided[i].first;
      const auto ratio = i + 1 < strided.size()
                             ? Quotient(stride, strided[i + 1].first)
                             : std::nullopt;
      push(ratio.value_or(stride));
      if (!ratio) break;
    }
    return proposal;
  }

  std::optional<Poly> ExtentOf(const Seen& seen) const {
    const auto range = RangeOf(seen.index, seen.loops, seen.definitions);
    if (!range || !IsOfSizes(range->high)) return std::nullopt;
    const Poly extent = range->high + Poly(1);
    // Where steps of several divide a size, the last begins so much before it.
    std::deque<Stmt> whole;
    std::vector<const Stmt*> loops;
    for (const Stmt* loop : seen.loops) {
      const auto step = ToPoly(loop->step, seen.definitions).Constant();
      whole.push_back(*loop);
      if (step && *step > 1) {
        whole.back().bound = Binary("-", whole.back().bound, Number(*step - 1));
      }
      loops.push_back(&whole.back());
    }
    const auto less = RangeOf(seen.index, loops, seen.definitions);
    if (!less) return extent;
    const Poly tight = less->high + Poly(1);
    return tight.Terms().size() < extent.Terms().size() ? tight : extent;
  }

  // Variables that are more than a name for what they are declared with.
  void NoteChanging(const StmtList& body) {
    const auto note = [&](const Expr& target) {
      if (target.kind == ExprKind::kName) changing_.insert(target.text);
    };
    VisitExprs(body, [&](const Expr& whole) {
      Visit(whole, [&](const Expr& expr) {
        const bool may_change = IsAssignment(expr) || expr.text == "++" ||
                                expr.text == "--" || expr.text == "&";
        if (may_change && !expr.args.empty()) note(expr.args[0]);
      });
    });
    VisitStmts(body, [&](const Stmt& stmt) {
      if (stmt.kind != StmtKind::kRaw) return;
      for (const auto& token : Tokenize(stmt.text)) {
        changing_.insert(token.text);
      }
    });
  }

  bool IsOfSizes(const Poly& poly) const {
    return std::ranges::all_of(poly.Terms(), [&](const auto& term) {
      return std::ranges::all_of(term.first, [&](const std::string& name) {
        return sizes_.contains(name) || names_of_ends_.contains(name);
      });
    });
  }

  // The name must be a whole word: y is not in __syncthreads.
  static bool IsNamedIn(const std::string& text, const std::string& name) {
    return std::ranges::any_of(
        agents::catalogue::Tokenize(text),
        [&](const auto& token) { return token.text == name; });
  }

  // Whether a text that is not parsed assigns to an element of the array.
  static bool IsAssignedIn(const std::string& text, const std::string& name) {
    const auto tokens = Tokenize(text);
    int depth = 0;
    bool is_behind = false;
    for (const auto& token : tokens) {
      if (token.text == name && depth == 0) {
        is_behind = true;
      } else if (token.text == "[") {
        ++depth;
      } else if (token.text == "]") {
        --depth;
      } else if (depth == 0 && std::exchange(is_behind, false) &&
                 (token.text == "++" || token.text == "--" ||
                  IsAssignment(Binary(token.text, {}, {})))) {
        return true;
      }
    }
    return false;
  }

  // Whether a text that is not parsed hands the array, or a place in it, to a
  // function: f(x), f(x + 1), f(&x[1]).
  static bool IsGivenIn(const std::string& text, const std::string& name) {
    const auto tokens = Tokenize(text);
    const auto is = [&](std::size_t at, std::string_view word) {
      return at < tokens.size() && tokens[at].text == word;
    };
    std::vector<bool> is_call;  // Each bracket that is open.
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (is(i, "(")) {
        is_call.push_back(i > 0 && MayCall(tokens[i - 1]));
      } else if (is(i, "[") || is(i, "{")) {
        is_call.push_back(false);
      } else if (is(i, ")") || is(i, "]") || is(i, "}")) {
        if (!is_call.empty()) is_call.pop_back();
      } else if (is(i, name) && i > 0 && !is_call.empty() && is_call.back()) {
        const bool is_place = is(i - 1, "&");
        const std::size_t before = is_place ? i - 2 : i - 1;
        const bool begins = is(before, "(") || is(before, ",");
        const bool ends = is(i + 1, ",") || is(i + 1, ")") || is(i + 1, "+");
        if (begins && (is_place || ends)) return true;
      }
    }
    return false;
  }

  // A text that is not parsed may read what it names, also by a pointer.
  void UseRaw(const std::string& text) {
    const auto use = [&](const std::string& name, const std::string& array) {
      if (!IsNamedIn(text, name)) return;
      Touch(array, true);
      if (IsAssignedIn(text, name) || IsGivenIn(text, name)) {
        extents_.written.insert(array);
      }
    };
    for (const std::string& array : arrays_) use(array, array);
    for (const auto& [name, place] : places_) use(name, place.array);
  }

  void Walk(const StmtList& list) {
    for (const Stmt& stmt : list) {
      switch (stmt.kind) {
        case StmtKind::kFor:
          Loop(stmt);
          break;
        case StmtKind::kDecl:
          Declare(stmt);
          break;
        case StmtKind::kRaw:
          UseRaw(stmt.text);
          break;
        default:
          Use(stmt.expr);
          Walk(stmt.body);
          Walk(stmt.orelse);
      }
    }
  }

  void Loop(const Stmt& loop) {
    if (loop.init) Use(*loop.init);
    Use(loop.bound);
    definitions_.erase(loop.name);
    loops_.push_back(Plain(loop));
    extents_.depth = std::max(extents_.depth, static_cast<int>(loops_.size()));
    Walk(loop.body);
    loops_.pop_back();
  }

  // The loop with bounds that say how far it goes: of min(a, b) one that is
  // known, and of the ends of a row as far as all rows go.
  const Stmt* Plain(const Stmt& loop) {
    Expr bound = loop.bound;
    Expr init = loop.init.value_or(Number(0));
    if (CalledFunction(bound) == "min" && bound.args.size() == 3) {
      const Poly second = ToPoly(bound.args[2], definitions_);
      bound = IsOfSizes(second) ? bound.args[2] : bound.args[1];
    }
    if (CalledFunction(init) == "max" && init.args.size() == 3) {
      const Poly second = ToPoly(init.args[2], definitions_);
      init = IsOfSizes(second) ? init.args[2] : init.args[1];
    }
    if (init.kind == ExprKind::kName && declared_.contains(init.text)) {
      init = declared_.at(init.text);
    }
    if (bound.kind == ExprKind::kName && declared_.contains(bound.text)) {
      bound = declared_.at(bound.text);
    }
    const std::string ends = ArrayName(bound);
    if (bound.kind == ExprKind::kIndex && init.kind == ExprKind::kIndex &&
        ArrayName(init) == ends && arrays_.contains(ends)) {
      const std::string name = sizes_.contains("nnz") ? "nnz" : ends + "_end";
      extents_.row_ends[ends] = name;
      names_of_ends_.insert(name);
      bound = Name(name);
      init = Number(0);
    }
    made_.push_back(
        MakeFor(loop.name, std::move(init), std::move(bound), loop.step, {}));
    return &made_.back();
  }

  void Declare(const Stmt& decl) {
    if (!decl.init) return;
    Use(*decl.init);
    if (decl.type.find('*') != std::string::npos) {
      if (auto place = PlaceOf(*decl.init)) places_[decl.name] = *place;
    } else {
      declared_[decl.name] = *decl.init;
      Define(decl.name, *decl.init);
    }
  }

  // A local name in a subscript stands for what it was declared with.
  void Define(const std::string& name, const Expr& init) {
    definitions_.erase(name);
    const Poly value = ToPoly(init, definitions_);
    const bool is_plain =
        std::ranges::none_of(value.Terms(), [&](const auto& term) {
          return std::ranges::any_of(term.first, [&](const std::string& one) {
            return one == name || one.starts_with("`");
          });
        });
    if (is_plain && !changing_.contains(name)) {
      definitions_[name] = ToExpr(value);
    }
  }

  // The place that a pointer into an array points to: x, x + e, &x[e].
  std::optional<Place> PlaceOf(const Expr& expr) const {
    if (expr.kind == ExprKind::kName) {
      if (const auto known = places_.find(expr.text); known != places_.end()) {
        return known->second;
      }
      if (arrays_.contains(expr.text)) return Place{expr.text, Number(0)};
      return std::nullopt;
    }
    if (expr.kind == ExprKind::kBinary && expr.text == "+") {
      auto left = PlaceOf(expr.args[0]);
      if (!left) return std::nullopt;
      return Place{left->array, Add(left->offset, expr.args[1])};
    }
    if (expr.kind == ExprKind::kUnary && expr.text == "&" &&
        expr.args[0].kind == ExprKind::kIndex) {
      auto base = PlaceOf(expr.args[0].args[0]);
      if (!base) return std::nullopt;
      return Place{base->array, Add(base->offset, expr.args[0].args[1])};
    }
    return std::nullopt;
  }

  // The place of an element: x[e], *x, *(x + e).
  std::optional<Place> ElementOf(const Expr& expr) const {
    if (expr.kind == ExprKind::kIndex) {
      auto base = PlaceOf(expr.args[0]);
      if (!base) return std::nullopt;
      return Place{base->array, Add(base->offset, expr.args[1])};
    }
    if (expr.kind == ExprKind::kUnary && expr.text == "*") {
      return PlaceOf(expr.args[0]);
    }
    return std::nullopt;
  }

  void Touch(const std::string& array, bool reads) {
    if (reads && !extents_.written.contains(array)) {
      extents_.read_first.insert(array);
    }
  }

  void Give(const std::string& array) {
    if (!extents_.read_first.contains(array))
      extents_.given_first.insert(array);
    Touch(array, true);
  }

  void Note(const Place& place) {
    Expr index = place.offset;
    // The subscript may be an element of another array, or a name for one.
    if (index.kind == ExprKind::kName && declared_.contains(index.text) &&
        !changing_.contains(index.text)) {
      index = declared_.at(index.text);
    }
    if (const auto inner = ElementOf(index)) {
      extents_.index_of[inner->array] = place.array;
    }
    Visit(index, [&](const Expr& part) {
      const bool is_name = part.kind == ExprKind::kName &&
                           declared_.contains(part.text) &&
                           !changing_.contains(part.text);
      const auto inner = ElementOf(is_name ? declared_.at(part.text) : part);
      if (inner) extents_.picks[inner->array] = place.array;
    });
    seen_[place.array].push_back(
        {ToPoly(index, definitions_), definitions_, loops_});
  }

  void NoteGiven(const Place& place, const Expr& call) {
    Given given{{ToPoly(place.offset, definitions_), definitions_, loops_}, {}};
    for (const Expr& argument : call.args) {
      if (argument.kind == ExprKind::kName && sizes_.contains(argument.text)) {
        AddNew(argument.text, given.sizes);
      }
    }
    given_[place.array].push_back(std::move(given));
  }

  void Use(const Expr& expr) {
    const bool steps =
        (expr.kind == ExprKind::kUnary || expr.kind == ExprKind::kPostfix) &&
        (expr.text == "++" || expr.text == "--");
    if (IsAssignment(expr) || steps) {
      if (!steps) Use(expr.args[1]);
      if (const auto target = ElementOf(expr.args[0])) {
        Touch(target->array, steps || expr.text != "=");
        extents_.written.insert(target->array);
        Note(*target);
        Use(target->offset);
      } else if (const auto place = PlaceOf(expr.args[0])) {
        moved_.insert(place->array);
      } else {
        Use(expr.args[0]);
      }
      return;
    }
    if (const auto place = ElementOf(expr)) {
      Touch(place->array, true);
      Note(*place);
      Use(place->offset);
      return;
    }
    if (expr.kind == ExprKind::kCall) {
      const std::string called = CalledFunction(expr);
      for (const Expr& argument : expr.args) {
        if (const auto place = PlaceOf(argument)) {
          if (called != "memset") Give(place->array);
          NoteGiven(*place, expr);
          extents_.written.insert(place->array);
        } else {
          Use(argument);
        }
      }
      return;
    }
    for (const Expr& part : expr.args) Use(part);
  }

  // The dimensions of an array that is read with these strides, of which the
  // last may be one.
  std::vector<Poly> Dims(const Poly& extent, const Seen& seen) {
    std::vector<std::pair<Poly, const Stmt*>> strides;
    for (const Stmt* loop : seen.loops) {
      const auto split = SplitBy(seen.index, loop->name);
      if (!split || split->slope.IsZero()) continue;
      if (Sample(split->slope) <= 0.0) return {extent};
      strides.push_back({split->slope, loop});
    }
    std::ranges::sort(strides, [](const auto& a, const auto& b) {
      return Sample(a.first) > Sample(b.first);
    });
    std::vector<Poly> dims;
    Poly left = extent;
    for (const auto& [stride, loop] : strides) {
      if (stride.Constant() == 1 || Sample(stride) >= Sample(left)) break;
      auto outer = Quotient(left, stride);
      if (!outer) outer = OuterOf(left, stride, *loop, dims.empty());
      if (!outer) return {extent};
      if (outer->Constant() != 1) dims.push_back(*outer);
      left = stride;
    }
    dims.push_back(left);
    return dims;
  }

  // q of left = q * stride, or of rows of which only the first part is used.
  std::optional<Poly> OuterOf(const Poly& left, const Poly& stride,
                              const Stmt& loop, bool is_first) {
    const Poly bound = ToPoly(loop.bound, definitions_);
    for (int more = 0; more <= 4; ++more) {
      const Poly outer = bound + Poly(more);
      if (outer * stride == left) return outer;
    }
    if (stride.Terms().size() != 1) return std::nullopt;
    const auto& [names, factor] = *stride.Terms().begin();
    const Poly used = left - (bound - Poly(1)) * stride;
    if (!is_first || names.size() != 1 || factor != 1 ||
        used.Mentions(names[0]) || !IsOfSizes(bound)) {
      return RoundedUp(left, stride, bound);
    }
    const auto known = extents_.used.find(names[0]);
    if (known == extents_.used.end() || Sample(known->second) < Sample(used)) {
      extents_.used[names[0]] = used;
    }
    return bound;
  }

  // Whole rows, where a loop leaves the end of the last one alone.
  static std::optional<Poly> RoundedUp(const Poly& left, const Poly& stride,
                                       const Poly& bound) {
    for (int more = 0; more <= 4; ++more) {
      const Poly outer = bound + Poly(more);
      const bool is_size = outer.Terms().size() == 1 &&
                           outer.Terms().begin()->first.size() == 1 &&
                           outer.Terms().begin()->second == 1;
      const double beyond = Sample(outer * stride - left);
      if (is_size && beyond >= 0.0 && beyond < 4.0 * Sample(stride)) {
        return outer;
      }
    }
    return std::nullopt;
  }

  const std::set<std::string>& arrays_;
  const std::set<std::string>& sizes_;
  Definitions definitions_;
  std::map<std::string, Place> places_;
  std::map<std::string, Expr> declared_;
  std::set<std::string> changing_;
  std::set<std::string> moved_;  // Arrays whose subscripts do not tell a place.
  std::set<std::string> names_of_ends_;
  std::vector<const Stmt*> loops_;
  std::deque<Stmt> made_;
  std::map<std::string, std::vector<Seen>> seen_;
  std::map<std::string, std::vector<Given>> given_;
  ArraySizes extents_;
};

}  // namespace

ArraySizes ArraySizesOf(const StmtList& body,
                        const std::set<std::string>& arrays,
                        const std::set<std::string>& sizes,
                        const Definitions& definitions) {
  return Reader(arrays, sizes, definitions).Read(body);
}

}  // namespace coppice::engine::own
