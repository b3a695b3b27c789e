#include "engine/own/source_reader.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "agents/catalogue/parse.h"
#include "agents/catalogue/print.h"
#include "agents/catalogue/range.h"
#include "engine/own/array_sizes.h"
#include "engine/own/body_text.h"
#include "engine/own/complex_text.h"
#include "eval/formats/axis_expression.h"
#include "store/records/joined.h"

namespace coppice::engine::own {
namespace {

using agents::catalogue::Definitions;
using agents::catalogue::Poly;

constexpr std::pair<std::string_view, DType> kTypes[] = {
    {"float", DType::kFloat32},
    {"double", DType::kFloat64},
    {"int", DType::kInt32},
    {"int32_t", DType::kInt32},
    {"signed int", DType::kInt32},
    {"signed", DType::kInt32},
    {"long", DType::kInt64},
    {"long int", DType::kInt64},
    {"long long", DType::kInt64},
    {"long long int", DType::kInt64},
    {"int64_t", DType::kInt64},
    {"ptrdiff_t", DType::kInt64},
    {"ssize_t", DType::kInt64},
    {"short", DType::kInt16},
    {"short int", DType::kInt16},
    {"int16_t", DType::kInt16},
    {"signed char", DType::kInt8},
    {"char", DType::kInt8},
    {"int8_t", DType::kInt8},
    {"bool", DType::kBool},
    {"unsigned char", DType::kUInt8},
    {"uint8_t", DType::kUInt8},
    {"unsigned short", DType::kUInt16},
    {"unsigned short int", DType::kUInt16},
    {"short unsigned int", DType::kUInt16},
    {"uint16_t", DType::kUInt16},
    {"unsigned", DType::kUInt32},
    {"unsigned int", DType::kUInt32},
    {"uint32_t", DType::kUInt32},
    {kComplexFloat, DType::kFloat32},
    {kComplexDouble, DType::kFloat64}};

// Whether only a size may have the type.
bool IsOfSizesAlone(const std::string& type) {
  return type == "size_t" || type == "unsigned long" ||
         type == "unsigned long int" || type == "long unsigned int" ||
         type == "uint64_t" || type == "unsigned long long" ||
         type == "unsigned long long int" || type == "long long unsigned int";
}

bool IsInteger(const std::string& type) {
  const auto dtype = DTypeOf(type);
  if (!dtype) return IsOfSizesAlone(type);
  return *dtype != DType::kFloat32 && *dtype != DType::kFloat64 &&
         *dtype != DType::kBool;
}

std::vector<std::string> PlainWords(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      if (!word.empty()) words.push_back(std::exchange(word, ""));
      if (c == '=' || c == '(') words.emplace_back(1, c);
    }
  }
  return words;
}

// What names of types and numbers stand for, as far as that is plain.
struct Names {
  std::map<std::string, std::string> types;  // "real" is "double".
  Definitions numbers;                       // "N" is 100.
};

std::string Joined(const std::vector<std::string>& words, std::size_t from,
                   std::size_t to) {
  std::string text;
  for (std::size_t i = from; i < to; ++i)
    text += (i > from ? " " : "") + words[i];
  return text;
}

bool IsNumber(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::isdigit(c) != 0;
  });
}

// What a type comes to; empty: none that an argument may have.
std::string Resolved(const Names& names, const std::string& type) {
  const auto known = names.types.find(type);
  if (known != names.types.end()) return known->second;
  return DTypeOf(type) || IsOfSizesAlone(type) ? type : "";
}

void NoteType(const std::string& name, const std::string& type, Names& names) {
  const std::string resolved = Resolved(names, type);
  if (!resolved.empty()) names.types[name] = resolved;
}

// "typedef float *vector;" names no number.
bool IsPlainTypedef(const std::string& text) {
  return text.starts_with("typedef") && text.find_first_of("*[({") == text.npos;
}

Names NamesIn(const std::vector<Piece>& pieces) {
  Names names;
  for (const Piece& piece : pieces) {
    if (piece.kind == PieceKind::kFunction) continue;
    std::vector<std::string> words = PlainWords(piece.text);
    if (words.size() < 3) continue;
    if (words[0] == "define" && words[2] != "(") {
      const std::string value = Joined(words, 2, words.size());
      if (IsNumber(value)) {
        names.numbers[words[1]] = agents::catalogue::Literal(value);
      } else {
        NoteType(words[1], value, names);
      }
    } else if (IsPlainTypedef(piece.text)) {
      NoteType(words.back(), Joined(words, 1, words.size() - 1), names);
    } else if (words[0] == "using" && words[2] == "=") {
      NoteType(words[1], Joined(words, 3, words.size()), names);
    } else if (IsNumber(words.back()) && words.size() > 3 &&
               words[words.size() - 2] == "=") {
      names.numbers[words[words.size() - 3]] =
          agents::catalogue::Literal(words.back());
    }
  }
  return names;
}

std::string WithoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

// "n + 1", as arithmetic on axes has it: of whole numbers.
std::string AxisText(const Poly& poly) {
  std::string text = WithoutBlanks(Print(agents::catalogue::ToExpr(poly)));
  for (std::size_t at = 0; (at = text.find('/', at)) != text.npos; at += 2) {
    text.insert(at, "/");
  }
  return text;
}

// Whether members of a class call the function; they may have one of its name.
bool HasCall(const std::string& members, const std::string& name) {
  bool has = false;
  Replaced(members, [&](const TokenView& token, std::string&) {
    const std::string_view before = token.before;
    const bool is_declared =
        before == "." || before == "->" ||
        (before != "return" && before != "else" && !before.empty() &&
         (before.back() == '_' ||
          std::isalnum(static_cast<unsigned char>(before.back())) != 0));
    has |= token.text == name && !is_declared &&
           (token.behind == "(" || token.behind == "<");
    return false;
  });
  return has;
}

// Whether another function of the file names it, or a member of a class calls
// it; a declaration alone is none of these.
bool IsCalled(const std::vector<Piece>& pieces, const Piece& function) {
  return std::ranges::any_of(pieces, [&](const Piece& other) {
    if (&other == &function || !other.names.contains(function.name)) {
      return false;
    }
    if (other.kind == PieceKind::kFunction) {
      return other.name != "main" && other.name != function.name;
    }
    return other.kind == PieceKind::kDeclaration &&
           other.text.find('{') != std::string::npos &&
           HasCall(other.text, function.name);
  });
}

class FunctionReader {
 public:
  FunctionReader(const std::vector<Piece>& pieces, const Piece& function,
                 const Wishes& wishes)
      : pieces_(pieces),
        function_(function),
        wishes_(wishes),
        names_(NamesIn(pieces)) {}

  Result<Reading> Read() {
    reading_.name = function_.name;
    TRY_DONE(TakeParameters());
    TRY_DONE(CheckNames());
    reading_.body = PreparedBody(function_.body, dims_);
    body_ = agents::catalogue::ParseStmts(
        WithoutComplex(WithoutTypeNames(reading_.body)));
    extents_ = ArraySizesOf(body_, arrays_, sizes_, names_.numbers);
    reading_.depth = std::max(extents_.depth, 1);
    for (Argument& argument : reading_.arguments) {
      if (arrays_.contains(argument.name)) TRY_DONE(TakeArray(argument));
    }
    TakeRowsInUse();
    TRY_DONE(TakeReturn());
    TRY_DONE(TakeForms());
    TRY_DONE(TakeNumbers());
    TRY_DONE(CheckSizesAndValues());
    TakePairs();
    return std::move(reading_);
  }

 private:
  tl::unexpected<Error> Refuse(const std::string& what) const {
    return Fail(Errc::kUsage, function_.name + ": " + what);
  }

  // `T dx = ...` with what T stands for: the reader of statements knows no
  // other types.
  std::string WithoutTypeNames(const std::string& body) const {
    if (names_.types.empty()) return body;
    return Replaced(body, [&](const TokenView& token, std::string& type) {
      const auto known = names_.types.find(std::string(token.text));
      const bool declares =
          !token.behind.empty() &&
          (token.behind == "*" || token.behind[0] == '_' ||
           std::isalpha(static_cast<unsigned char>(token.behind[0])) != 0);
      if (!token.is_name || !declares || known == names_.types.end()) {
        return false;
      }
      type = known->second;
      return true;
    });
  }

  std::string TypeOf(const std::string& type) const {
    const auto known = names_.types.find(type);
    return known == names_.types.end() ? type : known->second;
  }

  Result<void> TakeParameters() {
    for (const Parameter& parameter : function_.parameters) {
      const std::string subject = "argument " + parameter.name + " ";
      if (!parameter.trouble.empty())
        return Refuse(subject + parameter.trouble);
      Argument argument;
      argument.name = parameter.name;
      argument.c_type = TypeOf(parameter.type);
      const auto dtype = DTypeOf(argument.c_type);
      if (!dtype && !IsOfSizesAlone(argument.c_type)) {
        return Refuse(subject + "is of type " + parameter.type +
                      ", which no task can have; there are float, double, "
                      "complex ones of these, bool, and integers of 8 to 64 "
                      "bits");
      }
      argument.is_const = parameter.is_const;
      argument.is_by_value =
          dtype && IsOfPairs(argument.c_type) && !parameter.is_pointer;
      argument.is_pair = argument.is_by_value ||
                         (parameter.is_pointer && IsOfPairs(argument.c_type));
      if (argument.is_by_value) argument.part_how = "it is a complex number";
      argument.dtype =
          dtype.value_or(argument.is_pair ? DType::kUInt32 : DType::kInt64);
      if (parameter.is_pointer) {
        arrays_.insert(parameter.name);
        if (parameter.is_const) constants_.insert(parameter.name);
        if (parameter.dims.size() > 1) dims_[parameter.name] = parameter.dims;
        if (!parameter.dims.empty()) declared_[parameter.name] = parameter.dims;
      } else if (IsInteger(argument.c_type)) {
        sizes_.insert(parameter.name);
      }
      reading_.arguments.push_back(std::move(argument));
    }
    if (arrays_.empty()) {
      return Refuse("takes no array; a kernel has at least one pointer");
    }
    return {};
  }

  // Checks the names that options speak of.
  Result<void> CheckNames() const {
    const auto check = [&](const char* option, const std::string& name,
                           const std::set<std::string>& known) -> Result<void> {
      if (known.contains(name)) return {};
      return Refuse(std::string("--") + option + " " + name +
                    ": no such argument");
    };
    for (const auto& [name, shape] : wishes_.shapes) {
      TRY_DONE(check("shape", name, arrays_));
    }
    for (const auto& [name, form] : wishes_.forms) {
      TRY_DONE(check("input", name, arrays_));
    }
    for (const std::string& name : wishes_.in_place) {
      TRY_DONE(check("in-place", name, arrays_));
    }
    return {};
  }

  // What each argument is has to be known for that.
  Result<void> CheckSizesAndValues() const {
    for (const auto& [name, size] : wishes_.sizes) {
      const auto axis = std::ranges::find(reading_.axes, name, &OwnAxis::name);
      if (axis != reading_.axes.end() && !axis->constant &&
          (axis->derived.empty() || extents_.used.contains(name))) {
        continue;
      }
      const auto argument =
          std::ranges::find(reading_.arguments, name, &Argument::name);
      const bool is_number = argument != reading_.arguments.end() &&
                             argument->part == ArgumentRole::kNumber;
      const bool follows = axis != reading_.axes.end() && !axis->constant;
      return Refuse("--size " + name + ": " +
                    (is_number ? "is a number and no size; say --value " +
                                     name + "=" + std::to_string(size)
                     : follows ? "follows from others: it is " + axis->derived
                               : "no size that can be chosen"));
    }
    for (const auto& [name, value] : wishes_.values) {
      const auto argument =
          std::ranges::find(reading_.arguments, name, &Argument::name);
      if (argument == reading_.arguments.end() ||
          argument->part != ArgumentRole::kNumber) {
        return Refuse("--value " + name + ": no argument that is a number");
      }
    }
    return {};
  }

  // The names that a guess has for what no argument says are sizes, too.
  bool MayBeSize(const std::string& name) const {
    return sizes_.contains(name) || name == "ROWS" || name == "COLUMNS";
  }

  // The axis of that size, made if it is new.
  std::string AxisOf(const Poly& size) {
    if (const auto constant = size.Constant()) {
      std::string name = "K" + std::to_string(*constant);
      Add({name, *constant, ""});
      return name;
    }
    std::string text = AxisText(size);
    if (MayBeSize(text)) {
      Add({text, std::nullopt, ""});
      return text;
    }
    for (const auto& [ends, name] : extents_.row_ends) {
      if (name != text) continue;
      Add({text, std::nullopt, ""});
      return text;
    }
    for (const auto& [monomial, coefficient] : size.Terms()) {
      for (const std::string& name : monomial) {
        if (MayBeSize(name)) Add({name, std::nullopt, ""});
      }
    }
    std::string name;
    for (const char c : text) {
      name += c == '+'   ? "_plus_"
              : c == '-' ? "_minus_"
              : c == '*' ? "_by_"
              : std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'
                  ? std::string(1, c)
                  : "_";
    }
    Add({name, std::nullopt, text});
    return name;
  }

  void Add(OwnAxis axis) {
    const auto found =
        std::ranges::find(reading_.axes, axis.name, &OwnAxis::name);
    if (found == reading_.axes.end()) reading_.axes.push_back(std::move(axis));
  }

  std::vector<std::string> AxesOf(const std::vector<std::string>& texts) {
    std::vector<std::string> axes;
    for (const std::string& text : texts) {
      axes.push_back(AxisOf(agents::catalogue::ToPoly(
          agents::catalogue::ParseExpr(text), names_.numbers)));
    }
    return axes;
  }

  Result<void> TakeArray(Argument& argument) {
    const std::string& name = argument.name;
    const auto wish = wishes_.shapes.find(name);
    const auto dims = extents_.dims.find(name);
    const auto declared = declared_.find(name);
    if (wish != wishes_.shapes.end()) {
      argument.shape = AxesOf(wish->second);
      argument.shape_how = "--shape";
      TakeRow(name, argument.shape);
    } else if (declared != declared_.end() && !declared->second[0].empty()) {
      argument.shape = AxesOf(declared->second);
      argument.shape_how = "as it is declared";
    } else if (dims != extents_.dims.end()) {
      for (const Poly& dim : dims->second)
        argument.shape.push_back(AxisOf(dim));
      argument.shape_how = "by its subscripts and the loops around them";
    } else {
      return Refuse("the size of " + name +
                    " cannot be read off its loops; say it, perhaps --shape " +
                    name + "=" + LikelyShapeOf(name) +
                    " (a guess; names, numbers, sums and products may stand "
                    "there)");
    }
    TakePart(argument);
    return {};
  }

  // What its subscripts name; or the integer that comes next behind it, or else
  // the first.
  std::string LikelyShapeOf(const std::string& array) const {
    const auto proposed = extents_.proposed.find(array);
    if (proposed != extents_.proposed.end() && !proposed->second.axes.empty()) {
      return coppice::Joined(proposed->second.axes, ",");
    }
    std::string likely;
    bool is_behind = false;
    for (const Argument& argument : reading_.arguments) {
      is_behind |= argument.name == array;
      if (!sizes_.contains(argument.name)) continue;
      if (is_behind) return argument.name;
      if (likely.empty()) likely = argument.name;
    }
    return likely.empty() ? "ROWS,COLUMNS" : likely;
  }

  // Where the last axis that was said is a stride alone, such as lda, a row has
  // at least as many elements as are gone along.
  void TakeRow(const std::string& array, const std::vector<std::string>& axes) {
    const auto proposed = extents_.proposed.find(array);
    if (axes.size() < 2 || !sizes_.contains(axes.back()) ||
        proposed == extents_.proposed.end() || !IsStride(axes.back())) {
      return;
    }
    Poly used;
    for (const std::string& name : proposed->second.in_row) {
      if (std::ranges::find(axes, name) != axes.end()) continue;
      used = used + Poly::Variable(name);
    }
    if (!used.IsZero()) extents_.used.try_emplace(axes.back(), used);
  }

  // Whether it is multiplied and no bound of a loop, here and in functions that
  // it is handed to.
  bool IsStride(const std::string& size) const {
    namespace catalogue = agents::catalogue;
    bool is_factor = false;
    bool is_bound = false;
    const auto look = [&](const catalogue::StmtList& list,
                          const std::string& name) {
      catalogue::VisitStmts(list, [&](const catalogue::Stmt& stmt) {
        is_bound |= stmt.kind == catalogue::StmtKind::kFor &&
                    catalogue::Mentions(stmt.bound, name);
      });
      catalogue::VisitParts(list, [&](const catalogue::Expr& expr) {
        is_factor |= expr.kind == catalogue::ExprKind::kBinary &&
                     expr.text == "*" && catalogue::Mentions(expr, name);
      });
    };
    look(body_, size);
    catalogue::VisitParts(body_, [&](const catalogue::Expr& call) {
      if (call.kind != catalogue::ExprKind::kCall) return;
      const auto called = std::ranges::find_if(pieces_, [&](const Piece& one) {
        return one.kind == PieceKind::kFunction &&
               catalogue::IsName(call.args[0], one.name);
      });
      if (called == pieces_.end()) return;
      const auto& parameters = called->parameters;
      for (std::size_t i = 1; i < call.args.size() && i <= parameters.size();
           ++i) {
        if (!catalogue::IsName(call.args[i], size)) continue;
        look(catalogue::ParseStmts(called->body), parameters[i - 1].name);
      }
    });
    return is_factor && !is_bound;
  }

  // A row is longer than what is used of it, which is a size, too.
  void TakeRowsInUse() {
    for (const auto& [row, used] : extents_.used) {
      if (std::ranges::find(reading_.axes, row, &OwnAxis::name) ==
          reading_.axes.end()) {
        continue;
      }
      for (const auto& [monomial, coefficient] : used.Terms()) {
        for (const std::string& name : monomial) {
          if (sizes_.contains(name)) Add({name, std::nullopt, ""});
        }
      }
    }
  }

  void TakePart(Argument& argument) const {
    const std::string& name = argument.name;
    const bool is_padded = std::ranges::any_of(
        argument.shape,
        [&](const std::string& axis) { return extents_.used.contains(axis); });
    if (constants_.contains(name)) {
      argument.part_how = "it is const";
    } else if (wishes_.in_place.contains(name)) {
      argument.part = ArgumentRole::kInPlace;
      argument.part_how = "--in-place";
    } else if (!extents_.written.contains(name)) {
      argument.part_how = "nothing writes it";
    } else if (extents_.read_first.contains(name)) {
      argument.part = ArgumentRole::kInPlace;
      argument.part_how = extents_.given_first.contains(name)
                              ? "another function is given it, and may read it"
                              : "it is read before it is written";
    } else if (is_padded) {
      argument.part = ArgumentRole::kInPlace;
      argument.part_how = "its rows are longer than what is written";
    } else {
      argument.part = ArgumentRole::kResult;
      argument.part_how = "it is written before it is read";
    }
  }

  Result<void> TakeReturn() {
    const std::string type = TypeOf(function_.returns);
    if (type == "void") return MustHaveResult();
    const auto dtype =
        IsOfSizesAlone(type) ? std::optional(DType::kUInt32) : DTypeOf(type);
    if (!dtype) {
      return Refuse("returns " + function_.returns +
                    ", which is no number; a kernel returns a number or "
                    "nothing");
    }
    reading_.returns = type;
    Argument result;
    result.name = "result";
    result.part = ArgumentRole::kResult;
    result.c_type = type;
    result.dtype = *dtype;
    result.is_pair = IsOfPairs(type);
    result.part_how = "it is returned";
    result.shape_how = "a number";
    reading_.arguments.push_back(std::move(result));
    return {};
  }

  Result<void> MustHaveResult() const {
    const bool has_result =
        std::ranges::any_of(reading_.arguments, [](const Argument& argument) {
          return argument.part == ArgumentRole::kResult ||
                 argument.part == ArgumentRole::kInPlace;
        });
    if (has_result) return {};
    std::string may_write;
    for (const Argument& argument : reading_.arguments) {
      const bool may = arrays_.contains(argument.name) &&
                       !constants_.contains(argument.name);
      if (may) may_write += " --in-place " + argument.name;
    }
    return Refuse("writes none of its arrays, and returns nothing" +
                  (may_write.empty() ? ""
                                     : ", as far as can be read; where it "
                                       "writes one, say so:" +
                                           may_write));
  }

  Result<void> TakeForms() {
    for (Argument& argument : reading_.arguments) {
      const std::string& name = argument.name;
      if (!arrays_.contains(name) || argument.part == ArgumentRole::kResult)
        continue;
      const auto wish = wishes_.forms.find(name);
      const auto ends = extents_.row_ends.find(name);
      const auto index = extents_.index_of.find(name);
      if (wish != wishes_.forms.end()) {
        argument.form = wish->second;
        argument.form_how = "--input";
      } else if (ends != extents_.row_ends.end()) {
        argument.form = "csr:" + ends->second;
        argument.form_how = "loops go from one of its elements to the next";
      } else if (index != extents_.index_of.end()) {
        TRY(size, SizeOfFirst(index->second));
        argument.form = "index:" + size;
        argument.form_how = "its elements are subscripts of " + index->second;
      } else if (const auto picks = extents_.picks.find(name);
                 picks != extents_.picks.end() && IsInteger(argument.c_type)) {
        argument.picks_along = std::ranges::find(reading_.arguments,
                                                 picks->second, &Argument::name)
                                   ->shape.front();
      }
    }
    return {};
  }

  // The number of all elements of an array.
  Result<std::string> SizeOfFirst(const std::string& array) const {
    const auto found =
        std::ranges::find(reading_.arguments, array, &Argument::name);
    std::string size;
    for (const std::string& axis : found->shape) {
      size += (size.empty() ? "" : "*") + axis;
    }
    return size;
  }

  // How much longer a row is than what is used of it: in all shapes as in the
  // first, where its length is said.
  Result<std::int64_t> MoreThan(const std::string& used,
                                const std::string& row) const {
    constexpr std::int64_t kUsually = 8;
    const auto wish = wishes_.sizes.find(row);
    if (wish == wishes_.sizes.end()) return kUsually;
    const std::string subject = "--size " + row + ": ";
    if (wishes_.all_sizes.contains(row)) {
      return Refuse(subject +
                    "say one number; in other shapes it is as much "
                    "more than " +
                    used);
    }
    const std::string least = "is at least " + used;
    const auto first = eval::SizeOf(used, wishes_.sizes);
    if (!first) return Refuse(subject + least + "; say --size of that, too");
    if (wish->second >= *first) return wish->second - *first;
    return Refuse(subject + least + ", which is " + std::to_string(*first));
  }

  Result<void> TakeNumbers() {
    for (Argument& argument : reading_.arguments) {
      if (arrays_.contains(argument.name) || argument.name == "result" ||
          argument.is_by_value) {
        continue;
      }
      const auto axis =
          std::ranges::find(reading_.axes, argument.name, &OwnAxis::name);
      if (axis != reading_.axes.end()) {
        argument.part = ArgumentRole::kSize;
        argument.part_how = "it is in the shape of an array";
        const auto used = extents_.used.find(axis->name);
        if (used == extents_.used.end()) continue;
        const std::string least = AxisText(used->second);
        TRY(more, MoreThan(least, axis->name));
        axis->derived = AxisText(used->second + Poly(more));
        argument.part_how =
            "it is the length of a row, of which less is used: "
            "at least " +
            least;
        continue;
      }
      argument.part = ArgumentRole::kNumber;
      const auto wish = wishes_.values.find(argument.name);
      argument.part_how = "it is in no shape";
      argument.value = wish != wishes_.values.end() ? wish->second
                       : IsInteger(argument.c_type) ? "8"
                                                    : "1.25";
      argument.shape_how =
          wish != wishes_.values.end() ? "--value" : "a guess; see --value";
    }
    return {};
  }

  // Small integers need no second half: indices, sizes, what --input says.
  void TakePairs() {
    for (Argument& argument : reading_.arguments) {
      if (!argument.is_pair) continue;
      if (argument.dtype == DType::kUInt32 && !argument.form.empty()) {
        argument.is_pair = false;
        argument.dtype = DType::kInt64;
        continue;
      }
      Add({"K2", 2, ""});
      argument.shape.push_back("K2");
    }
  }

  const std::vector<Piece>& pieces_;
  const Piece& function_;
  const Wishes& wishes_;
  Names names_;
  Reading reading_;
  std::set<std::string> arrays_;
  std::set<std::string> constants_;
  std::set<std::string> sizes_;  // Integers that it is given.
  Dimensions dims_;
  Dimensions declared_;
  agents::catalogue::StmtList body_;
  ArraySizes extents_;
};

}  // namespace

std::optional<DType> DTypeOf(const std::string& c_type) {
  for (const auto& [name, dtype] : kTypes) {
    if (c_type == name) return dtype;
  }
  return std::nullopt;
}

bool IsOfPairs(const std::string& c_type) {
  return c_type == kComplexFloat || c_type == kComplexDouble ||
         IsOfSizesAlone(c_type);
}

Result<const Piece*> Chosen(const std::vector<Piece>& pieces,
                            const std::string& name) {
  std::vector<const Piece*> functions;
  for (const Piece& piece : pieces) {
    if (piece.kind != PieceKind::kFunction || piece.name == "main") continue;
    if (name.empty() || piece.name == name) functions.push_back(&piece);
  }
  if (name.empty()) {
    // Those that others of the file call are meant only if they are named, as
    // are templates and members.
    const auto leave_out = [&](const auto& is_other) {
      std::vector<const Piece*> rest;
      std::ranges::copy_if(functions, std::back_inserter(rest),
                           [&](const Piece* one) { return !is_other(*one); });
      if (!rest.empty()) functions = std::move(rest);
    };
    leave_out([&](const Piece& one) { return IsCalled(pieces, one); });
    leave_out([](const Piece& one) { return !one.trouble.empty(); });
  }
  if (functions.empty()) {
    const bool has_class = std::ranges::any_of(pieces, [](const Piece& piece) {
      return piece.kind == PieceKind::kDeclaration &&
             (piece.text.starts_with("class") ||
              piece.text.starts_with("struct"));
    });
    return Fail(Errc::kUsage, !name.empty() ? "no function is called " + name
                              : has_class
                                  ? "no function is defined in it outside of a "
                                    "class; write one that calls a member"
                                  : "no function is defined in it");
  }
  if (functions.size() > 1) {
    return Fail(Errc::kUsage,
                "has several functions; say which one with "
                "--function: " +
                    coppice::Joined(functions, ", ", &Piece::name));
  }
  if (functions.front()->trouble.empty()) return functions.front();
  const bool is_template = functions.front()->trouble == "is a template";
  return Fail(Errc::kUsage,
              functions.front()->name + ": " + functions.front()->trouble +
                  (is_template ? "; write it for one type, as with `using T = "
                                 "float;` in the place of `template <...>`"
                               : ""));
}

Result<Reading> Read(const std::vector<Piece>& pieces, const Wishes& wishes) {
  TRY(function, Chosen(pieces, wishes.function));
  return FunctionReader(pieces, *function, wishes).Read();
}

}  // namespace coppice::engine::own
