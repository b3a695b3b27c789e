#include "eval/formats/sol_execbench.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/formats/axis_expression.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

using Sizes = std::map<std::string, std::int64_t>;
using Words = std::initializer_list<std::string_view>;

constexpr std::string_view kIs = " == ";  // In a constraint.

bool IsNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool IsOf(const Json& object, const char* key, std::string_view value) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() && *found == value;
}

bool IsMissing(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found == document.end() || found->is_null();
}

Sizes ConstantsOf(const Json& axes) {
  Sizes sizes;
  for (const auto& [name, axis] : axes.items()) {
    if (!axis.is_object() || !axis.contains("value")) continue;
    const auto size = Cursor(axis["value"], "").NonNegativeInteger();
    if (size) sizes[name] = *size;
  }
  return sizes;
}

// An axis whose expression is of varying ones varies, too.
Result<void> ResolveAxes(const Cursor& axes, Json& document) {
  Json resolved = document["axes"];
  Json constraints = IsMissing(document, "constraints")
                         ? Json::array()
                         : document["constraints"];
  Sizes sizes = ConstantsOf(resolved);
  TRY(members, axes.Members());
  for (const auto& [name, axis] : members) {
    if (!IsOf(axis.Value(), "type", "expr")) continue;
    TRY(expression, axis.StringMember("expression"));
    const auto wrong = [&, &of = axis](const std::string& what) {
      return of.Wrong("/expression \"" + expression + "\": " + what);
    };
    const auto sound = CheckExpression(
        expression, [&, &self = name](const std::string& other) {
          return other != self && axes.Find(other).has_value();
        });
    if (!sound) return wrong(sound.error().what);
    bool varies = false;
    TRY_DONE(CheckExpression(expression, [&](const std::string& other) {
      varies = varies || !sizes.contains(other);
      return true;
    }));
    if (varies) {
      resolved[name] = {{"type", "var"}};
      constraints.push_back(name + std::string(kIs) + expression);
      continue;
    }
    const auto size = SizeOf(expression, sizes);
    if (!size) return wrong(size.error().what);
    if (*size < 0) return wrong("its value is " + std::to_string(*size));
    sizes[name] = *size;
    resolved[name] = {{"type", "const"}, {"value", *size}};
  }
  document["axes"] = std::move(resolved);
  if (!constraints.empty()) document["constraints"] = std::move(constraints);
  return {};
}

void NameNumbers(Json& tensors, Json& axes) {
  if (!tensors.is_object()) return;
  for (auto& [name, tensor] : tensors.items()) {
    if (IsOf(tensor, "dtype", "float4_e2m1fn_x2")) {
      tensor["dtype"] = "float4_e2m1";
    }
    if (!tensor.is_object() || !tensor.contains("shape")) continue;
    for (const Json& axis : tensor["shape"]) {
      if (!axis.is_string()) continue;
      const auto& number = axis.get_ref<const std::string&>();
      if (!IsNumber(number)) continue;
      if (const auto size = SizeOf(number, {})) {
        axes[number] = {{"type", "const"}, {"value", *size}};
      }
    }
  }
}

// What a constraint says of an axis: its name and expression.
std::optional<std::pair<std::string, std::string>> Defined(
    const Json& constraint) {
  if (!constraint.is_string()) return std::nullopt;
  const auto& text = constraint.get_ref<const std::string&>();
  const std::size_t at = text.find(kIs);
  if (at == text.npos) return std::nullopt;
  return std::pair(text.substr(0, at), text.substr(at + kIs.size()));
}

// Adds the sizes of axes that constraints define and the workload does not.
Result<void> AddSizes(const Json& definition, const Cursor& axes,
                      Sizes& sizes) {
  const auto constraints = definition.find("constraints");
  if (constraints == definition.end()) return {};
  for (const Json& constraint : *constraints) {
    const auto defined = Defined(constraint);
    if (!defined || !definition["axes"].contains(defined->first) ||
        sizes.contains(defined->first)) {
      continue;
    }
    const auto size = SizeOf(defined->second, sizes);
    if (!size) {
      return axes.Wrong(defined->first + " is " + defined->second + ": " +
                        size.error().what);
    }
    if (*size <= 0) {
      return axes.Wrong(defined->first + " is " + defined->second + ": " +
                        std::to_string(*size) + "; expected an integer > 0");
    }
    sizes[defined->first] = *size;
  }
  return {};
}

std::string WithoutDigits(std::string name) {
  while (!name.empty() &&
         std::isdigit(static_cast<unsigned char>(name.back()))) {
    name.pop_back();
  }
  return name;
}

bool IsAny(const std::string& name, Words names) {
  return std::ranges::find(names, name) != names.end();
}

bool EndsInAny(const std::string& name, Words ends) {
  return std::ranges::any_of(
      ends, [&](std::string_view end) { return name.ends_with(end); });
}

// "q_norm_weight", "layernorm2_bias".
bool IsOfNorm(const std::string& name, std::string_view part) {
  return name.ends_with(part) &&
         WithoutDigits(name.substr(0, name.size() - part.size()))
             .ends_with("norm");
}

bool IsCausal(const std::string& name, const std::string& description,
              const std::vector<std::int64_t>& shape) {
  const std::size_t rank = shape.size();
  if (rank < 2 || shape[rank - 1] != shape[rank - 2]) return false;
  return IsAny(name, {"attention_mask", "causal_mask"}) ||
         (description.find("attention mask") != description.npos &&
          description.find("causal") != description.npos);
}

bool IsOfBits(const std::string& name, const std::string& description) {
  if (IsAny(name, {"x_mask", "text_mask", "aspect_ratio_mask", "drop_mask",
                   "attention_mask"})) {
    return true;
  }
  constexpr std::array<std::string_view, 5> kSaid = {
      "binary", "{0, 1}", "0 or 1", "1.0 for valid", "0.0 for masked"};
  return name.ends_with("_mask") &&
         std::ranges::any_of(kSaid, [&](std::string_view said) {
           return description.find(said) != description.npos;
         });
}

bool IsPositive(const std::string& name) {
  const std::string base = WithoutDigits(name);
  return IsAny(base, {"rstd", "std", "variance", "var"}) ||
         EndsInAny(base, {"_rstd", "_std", "_variance", "_var"});
}

bool IsWeight(const std::string& name, std::size_t rank) {
  const std::string base = WithoutDigits(name);
  return rank >= 2 &&
         (base == "weight" || EndsInAny(base, {"_weight", "_weights", "_proj",
                                               "_projs", "_weight_matrix"}));
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  return text;
}

// REQUIRES: the tensor is one of floats.
Draw DrawOf(const std::string& name, const std::string& description,
            const std::vector<std::int64_t>& shape) {
  const std::string said = Lower(description);
  if (IsOfNorm(name, "_weight")) return Draw::kOnes;
  if (IsOfNorm(name, "_bias")) return Draw::kZeros;
  if (IsCausal(name, said, shape)) return Draw::kCausalMask;
  if (IsOfBits(name, said)) return Draw::kBits;
  if (IsAny(name, {"cos", "cos_cached", "rope_cos"})) return Draw::kCosine;
  if (IsAny(name, {"sin", "sin_cached", "rope_sin"})) return Draw::kSine;
  if (IsPositive(name)) return Draw::kPositive;
  if (name == "A") return Draw::kDecay;
  if (name == "A_log") return Draw::kLogDecay;
  if (name == "A_cumsum") return Draw::kDecaySums;
  if (name == "g") return Draw::kGate;
  if (IsAny(name, {"attn_weights", "attention_weights", "routing_weights"}) ||
      (said.find("softmax") != said.npos && said.find("output") != said.npos)) {
    return Draw::kSoftmax;
  }
  return IsWeight(name, shape.size()) ? Draw::kWeight : Draw::kPlain;
}

// Plain, too, if it is of no such type, or no shape is known.
Draw DrawOf(const std::string& name, const Json& tensor, const Sizes& sizes) {
  constexpr std::array<std::string_view, 3> kDrawn = {"float32", "float16",
                                                      "bfloat16"};
  const bool is_drawn = std::ranges::any_of(kDrawn, [&](std::string_view type) {
    return IsOf(tensor, "dtype", type);
  });
  if (!is_drawn || IsMissing(tensor, "shape")) return Draw::kPlain;
  std::vector<std::int64_t> shape;
  for (const Json& axis : tensor["shape"]) {
    const auto size =
        sizes.find(axis.is_string() ? axis.get<std::string>() : std::string());
    if (size == sizes.end()) return Draw::kPlain;
    shape.push_back(size->second);
  }
  const auto description =
      Cursor(tensor, "").OptionalString("description").value_or(std::nullopt);
  return DrawOf(name, description.value_or(""), shape);
}

// Our languages by SOL-ExecBench's; its others are C++.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5>
    kInPython = {{{"triton", "triton"},
                  {"pytorch", "python"},
                  {"cute_dsl", "python"},
                  {"cutile", "python"},
                  {"cudnn_frontend", "python"}}};
constexpr std::array<std::string_view, 4> kInCpp = {"cuda_cpp", "cutlass",
                                                    "cudnn", "cublas"};

bool HasCuda(const Json& solution) {
  const auto sources = solution.find("sources");
  if (sources == solution.end() || !sources->is_array()) return false;
  return std::ranges::any_of(*sources, [](const Json& source) {
    const auto path = Cursor(source, "").StringMember("path");
    return path && (path->ends_with(".cu") || path->ends_with(".cuh"));
  });
}

Result<std::string> LanguageOf(const Cursor& languages, const Json& solution) {
  TRY(items, languages.Items());
  if (items.empty()) return languages.Wrong("is empty");
  std::string language;
  for (const Cursor& item : items) {
    TRY(name, item.NonEmptyString());
    const auto python = std::ranges::find(
        kInPython, name, &std::pair<std::string_view, std::string_view>::first);
    const bool is_cpp = std::ranges::find(kInCpp, name) != kInCpp.end();
    if (python == kInPython.end() && !is_cpp) {
      return item.Wrong("unknown value \"" + name + "\"");
    }
    std::string own(is_cpp             ? HasCuda(solution) ? "cuda" : "cpp"
                    : language.empty() ? python->second
                                       : language);
    if (!is_cpp && python->second == "triton") own = "triton";
    const bool was_cpp = language == "cuda" || language == "cpp";
    if (!language.empty() && was_cpp != is_cpp) {
      return languages.Wrong("C++ and Python cannot be mixed");
    }
    language = own;
  }
  return language;
}

}  // namespace

Result<Json> TranslatedDefinition(const Cursor& definition) {
  Json document = definition.Value();
  if (!document.is_object()) return document;
  if (IsMissing(document, "op_type")) document["op_type"] = "unspecified";
  const std::optional<Cursor> axes = definition.Find("axes");
  if (!axes || !axes->Value().is_object()) return document;
  if (!IsMissing(document, "constraints") &&
      !document["constraints"].is_array()) {
    return document;
  }
  TRY_DONE(ResolveAxes(*axes, document));
  for (const char* key : {"inputs", "outputs"}) {
    if (document.contains(key)) NameNumbers(document[key], document["axes"]);
  }
  return document;
}

Result<Json> TranslatedWorkload(const Json& definition,
                                const Cursor& workload) {
  Json document = workload.Value();
  const std::optional<Cursor> axes = workload.Find("axes");
  if (!axes || !axes->Value().is_object() || !definition.is_object() ||
      IsMissing(definition, "axes") || !definition["axes"].is_object()) {
    return document;
  }
  Sizes sizes = ConstantsOf(definition["axes"]);
  TRY(members, axes->Members());
  for (const auto& [name, axis] : members) {
    TRY_ASSIGN(sizes[name], axis.NonNegativeInteger());
  }
  TRY_DONE(AddSizes(definition, *axes, sizes));
  for (const auto& [name, size] : sizes) {
    if (IsOf(definition["axes"].value(name, Json()), "type", "var")) {
      document["axes"][name] = size;
    }
  }
  if (IsMissing(definition, "inputs") || !definition["inputs"].is_object() ||
      !document.contains("inputs") || !document["inputs"].is_object()) {
    return document;
  }
  for (const auto& [name, tensor] : definition["inputs"].items()) {
    const Draw draw = DrawOf(name, tensor, sizes);
    if (draw == Draw::kPlain) continue;
    Json& input = document["inputs"][name];
    if (input.is_null()) input = {{"type", "random"}};
    if (IsOf(input, "type", "random")) input["draw"] = Name(draw);
  }
  return document;
}

bool IsSolExecBench(const Json& solution) {
  return solution.is_object() && solution.contains("spec") &&
         solution["spec"].is_object() && solution["spec"].contains("languages");
}

Result<Json> TranslatedSolution(const Cursor& solution) {
  Json document = solution.Value();
  if (!IsSolExecBench(document)) return document;
  TRY(spec, solution.Member("spec"));
  TRY(languages, spec.Member("languages"));
  TRY(language, LanguageOf(languages, document));
  if (language == "cuda" || language == "cpp") {
    document["spec"]["binding"] = "torch";
  }
  document["spec"]["language"] = std::move(language);
  return document;
}

Json TranslatedTrace(Json trace) {
  const auto found = trace.is_object() ? trace.find("evaluation") : trace.end();
  if (found == trace.end() || !found->is_object()) return trace;
  for (const std::string status : {"REWARD_HACK", "INVALID_REFERENCE"}) {
    if (!IsOf(*found, "status", status)) continue;
    const auto log = Cursor(*found, "").StringOrEmpty("log").value_or("");
    (*found)["status"] = Name(TraceStatus::kRuntimeError);
    (*found)["log"] = status + (log.empty() ? "" : ": ") + log;
  }
  return trace;
}

}  // namespace coppice::eval
