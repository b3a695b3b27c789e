#include "engine/own/task_draft.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>

#include "agents/catalogue/token.h"
#include "engine/own/complex_text.h"
#include "engine/own/wide_number.h"
#include "eval/formats/axis_expression.h"
#include "eval/formats/shapes.h"
#include "store/records/formatted.h"

namespace coppice::engine::own {
namespace {

// A size that is given and below this is the same in all workloads.
constexpr std::int64_t kSmall = 16;

bool IsFree(const OwnAxis& axis) {
  return !axis.constant && axis.derived.empty();
}

// What a declaration gives a name to: "struct point { ... } origin, *all;" to
// point, origin and all.
std::set<std::string> DeclaredBy(const std::string& text) {
  using agents::catalogue::TokenKind;
  const auto tokens = agents::catalogue::Tokenize(text);
  const bool has_enumerators = text.find("enum") != text.npos;
  std::set<std::string> names;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string& word = tokens[i].text;
    const std::string& next = tokens[i + 1].text;
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") --depth;
    if (tokens[i].kind != TokenKind::kName) continue;
    constexpr std::string_view kEnds = "([{=,;:";
    const bool ends =
        next.empty() || (next.size() == 1 && kEnds.find(next) != kEnds.npos);
    // As the f of "int (*f)(int)".
    const bool is_pointer =
        depth == 1 && i > 0 && tokens[i - 1].text == "*" && next == ")";
    const bool is_enumerator = has_enumerators && depth == 1;
    if ((depth == 0 && ends) || is_pointer || is_enumerator) {
      names.insert(word);
    }
  }
  return names;
}

bool IsNeeded(const Piece& piece, const std::set<std::string>& names) {
  if (piece.kind == PieceKind::kDirective) return true;
  if (piece.kind == PieceKind::kFunction) return names.contains(piece.name);
  return piece.text.starts_with("using namespace") ||
         std::ranges::any_of(
             DeclaredBy(piece.text),
             [&](const std::string& name) { return names.contains(name); });
}

// The directives, declarations and functions that the function needs.
std::vector<const Piece*> Needed(const std::vector<Piece>& pieces,
                                 const std::string& function) {
  std::set<std::string> names = {function};
  for (bool grows = true; grows;) {
    grows = false;
    for (const Piece& piece : pieces) {
      const bool is_directive = piece.kind == PieceKind::kDirective;
      if (is_directive ? piece.text.find("define") == std::string::npos
                       : !IsNeeded(piece, names)) {
        continue;
      }
      for (const std::string& name : piece.names) {
        grows |= names.insert(name).second;
      }
    }
  }
  std::vector<const Piece*> needed;
  for (const Piece& piece : pieces) {
    const bool is_it =
        piece.kind == PieceKind::kFunction && piece.name == function;
    if (!is_it && IsNeeded(piece, names)) needed.push_back(&piece);
  }
  return needed;
}

bool IsInclude(const Piece& piece) {
  return piece.kind == PieceKind::kDirective &&
         piece.text.find("include") != std::string::npos;
}

// "float x[n]" of a parameter is "float x[]", for n is none of C++.
std::string WithoutBounds(const Piece& piece) {
  if (piece.kind == PieceKind::kDirective) return piece.text;
  int round = 0;   // Of brackets around the parameters.
  int square = 0;  // Of a first bound.
  bool is_past = false;
  return Replaced(piece.text, [&](const TokenView& token, std::string& other) {
    const bool is_bound = square > 0 && token.text != "]";
    if (token.text == "(") ++round;
    if (token.text == ")" && --round == 0) is_past = true;
    if (is_past || round != 1) return false;
    if (token.text == "[" && token.before != "]") square = 1;
    if (token.text == "]") square = 0;
    other = "";
    return is_bound && token.is_name;
  });
}

std::string WithoutLinkage(const std::string& text) {
  constexpr std::string_view kLinkage = "extern \"C\"";
  return text.starts_with(kLinkage) ? text.substr(kLinkage.size() + 1) : text;
}

// Whether a task has it as another type than the function.  The values of char
// and int8_t are the same here, as are those of long long and int64_t, but a
// function that takes a pointer to one is given none to the other.
bool IsCast(const Argument& argument) {
  if (argument.is_pair) return true;
  if (!IsRead(argument) && !IsWritten(argument)) return false;
  const std::string& type = argument.c_type;
  return type == "char" || type.starts_with("long long") ||
         (argument.dtype == DType::kInt64 && DTypeOf(type) != DType::kInt64);
}

// Whether the function could write it, though it does not.
bool IsLoose(const Argument& argument, SizeTypes sizes) {
  return sizes == SizeTypes::kOfFunction &&
         argument.part == ArgumentRole::kInput && !argument.is_const &&
         !argument.is_by_value;
}

// Behind its name in the parameters of the root.
const char* Raw(const Argument& argument, SizeTypes sizes) {
  return IsCast(argument) || IsLoose(argument, sizes) ? "_raw" : "";
}

std::string Casts(const Reading& reading, SizeTypes sizes) {
  std::string text;
  const auto cast = [&](const Argument& argument, const std::string& name,
                        const std::string& type) {
    text += "\n  auto* " + name + " = reinterpret_cast<" + type + "*>(" + name +
            Raw(argument, sizes) + ");";
  };
  for (const Argument& argument : reading.arguments) {
    const std::string& name = argument.name;
    if (IsLoose(argument, sizes)) {
      text += "\n  auto* " + name + " = (" + argument.c_type + "*)" + name +
              Raw(argument, sizes) + ";";
      continue;
    }
    if (!IsCast(argument)) continue;
    if (argument.is_by_value) {
      text += "\n  " + argument.c_type + " " + name +
              " = *reinterpret_cast<const " + argument.c_type + "*>(" + name +
              Raw(argument, sizes) + ");";
      continue;
    }
    if (IsRead(argument)) {
      cast(argument, InputName(argument), "const " + argument.c_type);
    }
    if (IsWritten(argument)) cast(argument, argument.name, argument.c_type);
  }
  return text;
}

// What complex numbers are called, where there are any.
std::string NamesOfComplex(const Reading& reading) {
  const bool has_any = std::ranges::any_of(
      reading.arguments,
      [](const Argument& one) { return NamesComplex(one.c_type); });
  if (!has_any && !NamesComplex(reading.body)) return "";
  return ComplexNames();
}

// The parameters of `run`, or of `oracle`.
std::string Parameters(const Reading& reading, bool of_oracle,
                       SizeTypes sizes) {
  const char* suffix = sizes == SizeTypes::kOfFunction ? "_" : "";
  std::string list;
  const auto add = [&](const std::string& parameter) {
    list += (list.empty() ? "" : ", ") + parameter;
  };
  const auto type = [&](const Argument& argument) -> std::string {
    if (!of_oracle) return eval::CTypeName(argument.dtype);
    return eval::IsFloat(argument.dtype) ? "double" : "int64_t";
  };
  for (const Argument& argument : reading.arguments) {
    if (IsRead(argument)) {
      add("const " + type(argument) + "* " + InputName(argument) +
          (of_oracle ? "" : Raw(argument, sizes)));
    } else if (argument.part == ArgumentRole::kNumber) {
      add(type(argument) + " " + argument.name);
    }
  }
  for (const char* more : {"", "_m"}) {
    if (*more != '\0' && !of_oracle) break;
    for (const Argument& argument : reading.arguments) {
      if (!IsWritten(argument)) continue;
      add((of_oracle ? "double" : type(argument)) + "* " + argument.name +
          (of_oracle ? more : Raw(argument, sizes)));
    }
  }
  for (const OwnAxis& axis : reading.axes) {
    if (!axis.constant) add("int64_t " + axis.name + suffix);
  }
  return list;
}

// The function's own, called `kernel_`.
std::string Function(const Reading& reading, SizeTypes sizes) {
  std::string list;
  for (const Argument& argument : reading.arguments) {
    if (argument.name == "result" && !reading.returns.empty()) continue;
    list += list.empty() ? "" : ", ";
    const bool is_array = argument.part != ArgumentRole::kSize &&
                          argument.part != ArgumentRole::kNumber &&
                          !argument.is_by_value;
    if (is_array && !IsWritten(argument) && !IsLoose(argument, sizes)) {
      list += "const ";
    }
    list += argument.c_type + (is_array ? "* " : " ") + argument.name;
  }
  return "static " + (reading.returns.empty() ? "void" : reading.returns) +
         " kernel_(" + list + ") {\n  " + reading.body + "\n}\n";
}

// Stores the result where the body returns it.  None: it does not end so, or
// returns elsewhere, too.
std::optional<std::string> Storing(const std::string& body) {
  int returns = 0;
  Replaced(body, [&](const TokenView& token, std::string&) {
    returns += token.text == "return" ? 1 : 0;
    return false;
  });
  const std::size_t at = body.rfind("return");
  const std::size_t end = body.rfind(';');
  if (returns != 1 || end == body.npos || end < at ||
      body.find_first_of("{}", at) != body.npos) {
    return std::nullopt;
  }
  return body.substr(0, at) + "result[0] =" + body.substr(at + 6);
}

std::string RootText(const std::vector<const Piece*>& needed,
                     const Reading& reading, const Drafting& drafting) {
  std::string text =
      "// Made of " + drafting.file + " by coppice new.\n#include <cstdint>\n";
  std::string names = NamesOfComplex(reading);
  if (!names.empty()) text += "#include <complex>\n";
  for (const Piece* piece : needed) {
    if (!IsInclude(*piece)) text += std::exchange(names, "");
    text += WithoutBounds(*piece) + "\n";
  }
  text += names;
  std::string body = reading.body;
  const auto storing = reading.returns.empty()
                           ? std::optional<std::string>(body)
                           : Storing(body);
  const bool is_typed = drafting.sizes == SizeTypes::kOfFunction;
  if (!storing) text += "\n" + Function(reading, drafting.sizes);
  text += "\nextern \"C\" void run(" +
          Parameters(reading, false, drafting.sizes) + ") {";
  for (const Argument& argument : reading.arguments) {
    if (!is_typed || argument.part != ArgumentRole::kSize) continue;
    text += "\n  const " + argument.c_type + " " + argument.name + " = " +
            "static_cast<" + argument.c_type + ">(" + argument.name + "_);";
  }
  text += Casts(reading, drafting.sizes);
  if (storing) return text + "\n  " + *storing + "\n}\n";
  std::string list;
  for (const Argument& argument : reading.arguments) {
    if (argument.name == "result") continue;
    list += (list.empty() ? "" : ", ") + argument.name;
  }
  return text + "\n  result[0] = kernel_(" + list + ");\n}\n";
}

// `ComplexFloat z = 0` takes what a number of ours can be made of.
std::string OfOracles(std::string names) {
  constexpr std::string_view kPlain = "= std::complex<";
  for (std::size_t at = 0; (at = names.find(kPlain, at)) != names.npos;) {
    names.replace(at, kPlain.size(), "= Complex_<");
  }
  return names;
}

// By what an oracle gives a result back.
std::string GiverOf(const Argument& argument) {
  return argument.is_pair && argument.dtype == DType::kUInt32 ? "GivePair_"
                                                              : "Give_";
}

std::string OracleText(const std::vector<const Piece*>& needed,
                       const Reading& reading, const Drafting& drafting) {
  std::string text = "// Made of " + drafting.file +
                     " by coppice new: its function with numbers that keep "
                     "their\n// error, which are in a wider type.\n";
  const bool with_doubles =
      std::ranges::any_of(reading.arguments, [](const Argument& argument) {
        return argument.dtype == DType::kFloat64;
      });
  for (const Piece* piece : needed) {
    if (IsInclude(*piece)) text += piece->text + "\n";
  }
  text += NumberText(with_doubles) + "\n";
  if (const std::string names = NamesOfComplex(reading); !names.empty()) {
    text += "#include <complex>\n" + OfOracles(InWideNumbers(names));
  }
  for (const Piece* piece : needed) {
    if (IsInclude(*piece)) continue;
    text += InWideNumbers(WithoutLinkage(WithoutBounds(*piece))) + "\n";
  }
  text += "\n" + InWideNumbers(Function(reading, SizeTypes::kOfFunction)) +
          "\nextern \"C\" void oracle(" +
          Parameters(reading, true, SizeTypes::kOfTasks) + ") {\n";
  std::string list;
  for (const Argument& argument : reading.arguments) {
    if (argument.name == "result" && !reading.returns.empty()) continue;
    list += list.empty() ? "" : ", ";
    const std::string type = WideType(argument.c_type);
    const std::string array = argument.is_pair ? "Pairs_<" : "Array_<";
    if (argument.part == ArgumentRole::kSize ||
        argument.part == ArgumentRole::kNumber) {
      list += "static_cast<" + type + ">(" + argument.name + ")";
      continue;
    }
    const std::string from = IsRead(argument)
                                 ? InputName(argument)
                                 : "static_cast<const double*>(nullptr)";
    text += "  const auto " + argument.name + "_own = " + array + type + ">(" +
            from + ", " + CountOf(reading, argument) + ");\n";
    list += argument.name + (argument.is_by_value ? "_own[0]" : "_own.get()");
  }
  const bool returns = !reading.returns.empty();
  text += returns
              ? "  const " + WideType(reading.returns) + " value = kernel_(" +
                    list + ");\n  " + GiverOf(reading.arguments.back()) +
                    "(value, result, result_m);\n"
              : "  kernel_(" + list + ");\n";
  for (const Argument& argument : reading.arguments) {
    if (!IsWritten(argument) || (returns && argument.name == "result"))
      continue;
    const std::string& name = argument.name;
    const std::string place = argument.is_pair ? "[2 * i_], &" : "[i_], &";
    text += "  for (int64_t i_ = 0; i_ < " + CountOf(reading, argument) +
            "; ++i_) {\n    " + GiverOf(argument) + "(" + name + "_own[i_], &" +
            name + place + name + "_m" + place.substr(0, place.size() - 3) +
            ");\n  }\n";
  }
  return text + "}\n";
}

Result<void> AddForm(const Argument& argument, const std::string& task,
                     std::vector<std::string>& tags) {
  if (argument.form.empty()) return {};
  const std::string name = InputName(argument);
  const std::size_t colon = argument.form.find(':');
  const std::string kind = argument.form.substr(0, colon);
  const std::string rest =
      colon == std::string::npos ? "" : argument.form.substr(colon + 1);
  const bool is_float = eval::IsFloat(argument.dtype);
  const auto range = [&](const std::string& text) {
    tags.push_back("range:" + name + ":" + text);
  };
  if (kind == "positive" && !is_float) {
    range("1..127");
  } else if (kind == "positive" || kind == "probabilities" ||
             (kind == "sorted" && is_float) || kind == "permutation") {
    tags.push_back(kind + ":" + name);
  } else if (kind == "sorted") {
    range("0..127");
    tags.push_back("ascending:" + name);
  } else if (kind == "index" && !rest.empty()) {
    range("0.." + rest + "-1");
  } else if (kind == "integers" && rest.find("..") != rest.npos) {
    range(rest);
  } else if (kind == "csr" && !rest.empty()) {
    range("0.." + rest);
    tags.push_back("ascending:" + name);
    tags.push_back("pinned:" + name);
  } else {
    return Fail(Errc::kUsage,
                task + ": --input " + argument.name + "=" + argument.form +
                    ": there are positive, sorted, permutation, "
                    "probabilities, index:N, csr:N and integers:LOW..HIGH");
  }
  return {};
}

std::string FactorText(double factor) { return Formatted("%g", factor); }

}  // namespace

std::string TextWith(const std::vector<Piece>& pieces, const Piece& function) {
  std::string text = NamesComplex(function.text)
                         ? "#include <complex>\n" + ComplexNames()
                         : "";
  for (const Piece* piece : Needed(pieces, function.name)) {
    text += WithoutBounds(*piece) + "\n";
  }
  return text + WithoutBounds(function) + "\n";
}

bool IsRead(const Argument& argument) {
  return argument.part == ArgumentRole::kInput ||
         argument.part == ArgumentRole::kInPlace;
}

bool IsWritten(const Argument& argument) {
  return argument.part == ArgumentRole::kResult ||
         argument.part == ArgumentRole::kInPlace;
}

std::string InputName(const Argument& argument) {
  return argument.part == ArgumentRole::kInPlace ? argument.name + "_before"
                                                 : argument.name;
}

std::string CountOf(const Reading& reading, const Argument& argument) {
  std::string count;
  for (std::size_t i = 0; i < argument.shape.size(); ++i) {
    if (argument.is_pair && i + 1 == argument.shape.size()) break;
    const std::string& name = argument.shape[i];
    const auto axis = std::ranges::find(reading.axes, name, &OwnAxis::name);
    count += (count.empty() ? "" : " * ") +
             (axis->constant ? std::to_string(*axis->constant) : name);
  }
  return count.empty() ? "1" : count;
}

Solution DraftSolution(const Drafting& drafting, const std::string& author,
                       const std::string& stem, const std::string& entry,
                       std::string text) {
  Solution solution;
  solution.name = drafting.name + "_" + stem;
  solution.definition = drafting.name;
  solution.author = author;
  solution.language = Language::kCpp;
  solution.target_hardware = {"cpu"};
  solution.entry_file = stem + ".cc";
  solution.entry_symbol = entry;
  solution.dependencies = {"coppice-c-abi"};
  solution.destination_passing_style = true;
  solution.sources = {{stem + ".cc", std::move(text)}};
  return solution;
}

Result<Definition> DraftDefinition(const Reading& reading,
                                   const Drafting& drafting) {
  Definition definition;
  definition.name = drafting.name;
  definition.op_type = "own";
  definition.description =
      "The function " + reading.name + " of " + drafting.file +
      ". Tolerance: what the roundings of its own operations come to, in any "
      "order of its sums.";
  for (const OwnAxis& axis : reading.axes) {
    definition.axes.push_back({axis.name, axis.constant, std::nullopt});
    if (axis.derived.empty()) continue;
    definition.tags.push_back("size:" + axis.name + "=" + axis.derived);
  }
  for (const Argument& argument : reading.arguments) {
    const bool is_number = argument.part == ArgumentRole::kNumber;
    if (IsRead(argument) || is_number) {
      TensorSpec spec{InputName(argument), argument.shape, argument.dtype, {}};
      if (is_number) spec.shape.reset();
      definition.inputs.push_back(std::move(spec));
      TRY_DONE(AddForm(argument, drafting.name, definition.tags));
    }
    if (!IsWritten(argument)) continue;
    definition.outputs.push_back(
        {argument.name, argument.shape, argument.dtype, {}});
  }
  definition.tags.push_back("tolerance:" + FactorText(drafting.tolerance));
  definition.constraints = drafting.constraints;
  for (const std::string& name : drafting.without) {
    definition.tags.push_back("without:" + name);
  }
  definition.reference = "def run(*inputs):\n    raise NotImplementedError\n";
  return definition;
}

namespace {

// Arrays that are updated hold what they held before, so that nobody copies.
void StartInPlace(const Reading& reading, Definition& definition) {
  for (const Argument& argument : reading.arguments) {
    if (argument.part != ArgumentRole::kInPlace) continue;
    const std::string before = InputName(argument);
    definition.tags.push_back("starts:" + argument.name + "=" + before);
    std::ranges::find(definition.outputs, argument.name, &TensorSpec::name)
        ->description = "holds what `" + before +
                        "` holds when it is called; it may be worked on in "
                        "place";
  }
}

}  // namespace

Result<Task> DraftTask(const std::vector<Piece>& pieces, const Reading& reading,
                       const Drafting& drafting) {
  Task task;
  TRY(definition, DraftDefinition(reading, drafting));
  StartInPlace(reading, definition);
  task.definition = std::move(definition);
  task.tolerance.factor = drafting.tolerance;
  const auto needed = Needed(pieces, reading.name);
  task.root = DraftSolution(drafting, "baseline", "root", "run",
                            RootText(needed, reading, drafting));
  task.oracle = DraftSolution(drafting, "oracle", "oracle", "oracle",
                              OracleText(needed, reading, drafting));
  return task;
}

Result<Workload> WorkloadOf(const Reading& reading, const std::string& name,
                            const AxisSizes& sizes) {
  Workload workload;
  workload.uuid = name;
  AxisSizes all = sizes;
  for (const OwnAxis& axis : reading.axes) {
    if (axis.constant) all[axis.name] = *axis.constant;
  }
  for (const OwnAxis& axis : reading.axes) {
    if (axis.constant) continue;
    if (!axis.derived.empty()) {
      TRY(size, eval::SizeOf(axis.derived, all));
      if (size < 1) {
        return Fail(Errc::kUsage, name + ": " + axis.derived + " is " +
                                      std::to_string(size) +
                                      ", which is no size");
      }
      all[axis.name] = size;
    } else {
      workload.uuid += "_" + axis.name + std::to_string(all[axis.name]);
    }
    workload.axes.emplace_back(axis.name, all[axis.name]);
  }
  for (const Argument& argument : reading.arguments) {
    if (argument.part == ArgumentRole::kNumber) {
      ScalarInput value;
      if (eval::IsFloat(argument.dtype)) {
        value.value = std::strtod(argument.value.c_str(), nullptr);
      } else {
        value.value =
            std::int64_t{std::strtoll(argument.value.c_str(), nullptr, 10)};
      }
      workload.inputs.emplace_back(argument.name, value);
    } else if (IsRead(argument)) {
      workload.inputs.emplace_back(InputName(argument), RandomInput{});
    }
  }
  return workload;
}

std::int64_t ElementsOf(const Reading& reading, const Argument& argument,
                        const Workload& workload) {
  const AxisSizes sizes(workload.axes.begin(), workload.axes.end());
  std::int64_t elements = 1;
  for (const std::string& name : argument.shape) {
    const auto axis = std::ranges::find(reading.axes, name, &OwnAxis::name);
    elements *= axis->constant ? *axis->constant : sizes.at(name);
  }
  return elements;
}

double BytesOf(const Reading& reading, const Workload& workload) {
  double bytes = 0.0;
  for (const Argument& argument : reading.arguments) {
    if (!IsRead(argument) && !IsWritten(argument)) continue;
    const double own =
        static_cast<double>(eval::ElementBytes(argument.dtype)) *
        static_cast<double>(ElementsOf(reading, argument, workload));
    bytes += argument.part == ArgumentRole::kInPlace ? 2 * own : own;
  }
  return bytes;
}

AxisSizes FirstSizes(const Reading& reading, const Wishes& wishes,
                     double scale) {
  const auto free = std::ranges::count_if(reading.axes, IsFree);
  const double first = free <= 1 && reading.depth <= 1 ? 16384
                       : free <= 1                     ? 128
                       : reading.depth <= 2            ? 256
                                                       : 64;
  AxisSizes sizes;
  for (const OwnAxis& axis : reading.axes) {
    if (!IsFree(axis)) continue;
    // Ends of rows: several elements in each.
    const bool is_end =
        std::ranges::any_of(reading.arguments, [&](const Argument& argument) {
          return argument.form == "csr:" + axis.name;
        });
    const double size = std::round(first * scale / 16.0) * 16.0;
    const auto wish = wishes.sizes.find(axis.name);
    sizes[axis.name] = wish != wishes.sizes.end()
                           ? wish->second
                           : static_cast<std::int64_t>(std::max(size, 16.0) *
                                                       (is_end ? 16 : 1));
  }
  return sizes;
}

std::vector<AxisSizes> ThreeSizes(const Reading& reading, const Wishes& wishes,
                                  const AxisSizes& sizes) {
  std::vector<AxisSizes> three = {sizes, sizes, sizes};
  const auto stays = [&](const OwnAxis& axis) {
    const auto wish = wishes.sizes.find(axis.name);
    return !IsFree(axis) ||
           (wish != wishes.sizes.end() && wish->second < kSmall);
  };
  const bool is_one =
      std::ranges::count_if(reading.axes,
                            [&](const OwnAxis& a) { return !stays(a); }) <= 1;
  int number = 0;
  for (const OwnAxis& axis : reading.axes) {
    if (const auto all = wishes.all_sizes.find(axis.name);
        all != wishes.all_sizes.end()) {
      for (std::size_t i = 0; i < three.size(); ++i) {
        three[i][axis.name] = all->second[i % all->second.size()];
      }
      continue;
    }
    if (stays(axis)) continue;
    const std::int64_t size = sizes.at(axis.name);
    const bool is_longer = !is_one && number++ % 2 == 1;
    three[1][axis.name] =
        is_longer ? size * 2 : std::max<std::int64_t>(size / 2, 1);
    const std::int64_t odd = std::max<std::int64_t>(size * 13 / 16, 5);
    three[2][axis.name] = (odd / 2 * 2 + 1) + (number % 2 == 0 ? 0 : 2);
  }
  return three;
}

Result<std::vector<Workload>> ThreeWorkloads(const Reading& reading,
                                             const Wishes& wishes,
                                             const std::string& name,
                                             const AxisSizes& sizes) {
  std::vector<Workload> workloads;
  for (const AxisSizes& one : ThreeSizes(reading, wishes, sizes)) {
    TRY(workload, WorkloadOf(reading, name, one));
    const bool is_new = std::ranges::none_of(
        workloads,
        [&](const Workload& known) { return known.axes == workload.axes; });
    if (is_new) workloads.push_back(std::move(workload));
  }
  return workloads;
}

}  // namespace coppice::engine::own
