#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

constexpr std::array<std::string_view, 15> kDTypeNames = {
    "float32",     "float16",     "bfloat16", "float8_e4m3fn",
    "float8_e5m2", "float4_e2m1", "int64",    "int32",
    "int16",       "int8",        "bool",     "float64",
    "uint8",       "uint16",      "uint32"};  // By value of DType.

// The type may be left out: an axis with a value is then constant.
Result<Axis> ReadAxis(const std::string& name, const Cursor& place) {
  if (!place.Value().is_object()) return place.Wrong("expected an object");
  std::string type = place.Find("value") ? "const" : "var";
  if (place.Find("type")) {
    TRY_ASSIGN(type, place.StringMember("type"));
  }
  Axis axis{.name = name, .constant = {}, .description = {}};
  if (type == "const") {
    TRY(value, place.Member("value"));
    TRY_ASSIGN(axis.constant, value.NonNegativeInteger());
  } else if (type != "var") {
    return place.Wrong("/type is neither \"const\" nor \"var\"");
  }
  TRY_ASSIGN(axis.description, place.OptionalString("description"));
  return axis;
}

bool HasAxis(const std::vector<Axis>& axes, const std::string& name) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis& axis) { return axis.name == name; });
}

Result<TensorSpec> ReadTensor(const std::string& name, const Cursor& place,
                              const std::vector<Axis>& axes) {
  TensorSpec tensor{.name = name, .shape = {}, .description = {}};
  TRY(shape, place.Member("shape"));
  if (!shape.Value().is_null()) {
    TRY(names, shape.NonEmptyStrings());
    for (const std::string& axis : names) {
      if (!HasAxis(axes, axis)) {
        return shape.Wrong("no axis is called \"" + axis + "\"");
      }
    }
    tensor.shape = std::move(names);
  }
  TRY(dtype, place.Member("dtype"));
  TRY(parsed, dtype.OneOf(kDTypeNames));
  tensor.dtype = static_cast<DType>(parsed);
  TRY_ASSIGN(tensor.description, place.OptionalString("description"));
  return tensor;
}

Result<std::vector<TensorSpec>> ReadTensors(const Cursor& document,
                                            const std::string& key,
                                            const std::vector<Axis>& axes) {
  TRY(place, document.Member(key));
  TRY(members, place.NamedMembers());
  std::vector<TensorSpec> tensors;
  for (const auto& [name, member] : members) {
    TRY(tensor, ReadTensor(name, member, axes));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<std::vector<Axis>> ReadAxes(const Cursor& document) {
  TRY(place, document.Member("axes"));
  TRY(members, place.NamedMembers());
  std::vector<Axis> axes;
  for (const auto& [name, member] : members) {
    TRY(axis, ReadAxis(name, member));
    axes.push_back(std::move(axis));
  }
  return axes;
}

// Whether it begins `def NAME(`, however spaced and continued.
bool Begins(std::string_view line, std::string_view function) {
  constexpr std::string_view kBlank = " \t";
  if (!line.starts_with("def")) return false;
  line.remove_prefix(3);
  const std::size_t name = line.find_first_not_of(kBlank);
  if (name == 0 || name == line.npos) return false;
  line.remove_prefix(name);
  if (!line.starts_with(function)) return false;
  line.remove_prefix(function.size());
  while (!line.empty() && line[0] != '(' && line[0] != '[') {
    const bool blank = line[0] == ' ' || line[0] == '\t';
    if (!blank && !line.starts_with("\\\n")) return false;
    line.remove_prefix(blank ? 1 : 2);
  }
  return !line.empty();
}

bool Defines(std::string_view python, std::string_view function) {
  while (!Begins(python, function)) {
    const std::size_t end = python.find('\n');
    if (end == python.npos) return false;
    python.remove_prefix(end + 1);
  }
  return true;
}

Json TensorsToJson(const std::vector<TensorSpec>& tensors) {
  Json all = Json::object();
  for (const TensorSpec& tensor : tensors) {
    Json& one = all[tensor.name];
    one["shape"] = tensor.shape ? Json(*tensor.shape) : Json(nullptr);
    one["dtype"] = kDTypeNames[static_cast<std::size_t>(tensor.dtype)];
    if (tensor.description) one["description"] = *tensor.description;
  }
  return all;
}

}  // namespace

Result<Definition> ReadDefinition(const Cursor& document, Rules rules) {
  Definition definition;
  TRY_ASSIGN(definition.name, document.StringMember("name"));
  // It goes into lines of progress as it is, and a line feed would forge one.
  if (std::ranges::any_of(definition.name, [](unsigned char c) {
        return c < 0x20 || c == 0x7f;
      })) {
    return document.Wrong("/name holds a control character");
  }
  const bool simulated = rules == Rules::kSimulation;
  TRY_ASSIGN(definition.op_type, simulated ? document.StringOrEmpty("op_type")
                                           : document.StringMember("op_type"));
  TRY_ASSIGN(definition.axes, ReadAxes(document));
  TRY_ASSIGN(definition.inputs,
             ReadTensors(document, "inputs", definition.axes));
  TRY_ASSIGN(definition.outputs,
             ReadTensors(document, "outputs", definition.axes));
  for (const TensorSpec& output : definition.outputs) {
    for (const TensorSpec& input : definition.inputs) {
      if (input.name == output.name) {
        return document.Wrong("\"" + input.name +
                              "\" is both an input and an output");
      }
    }
  }
  TRY(reference, simulated ? document.StringOrEmpty("reference")
                           : document.StringMember("reference"));
  if (rules == Rules::kTraceSet && !Defines(reference, "run")) {
    return document.Wrong("/reference has no top-level `def run(`");
  }
  definition.reference = std::move(reference);
  TRY_ASSIGN(definition.tags, document.StringsMember("tags"));
  TRY_ASSIGN(definition.constraints, document.StringsMember("constraints"));
  TRY_ASSIGN(definition.description, document.OptionalString("description"));
  TRY(entrypoint, document.OptionalString("custom_inputs_entrypoint"));
  if (entrypoint && !Defines(definition.reference, *entrypoint)) {
    return document.Wrong(
        "/custom_inputs_entrypoint: /reference has no "
        "top-level `def " +
        *entrypoint + "(`");
  }
  definition.custom_inputs_entrypoint = entrypoint;
  return definition;
}

Json ToJson(const Definition& definition) {
  Json document;
  document["name"] = definition.name;
  document["op_type"] = definition.op_type;
  if (definition.description) document["description"] = *definition.description;
  if (!definition.tags.empty()) document["tags"] = definition.tags;
  Json& axes = document["axes"] = Json::object();
  for (const Axis& axis : definition.axes) {
    Json& one = axes[axis.name];
    one["type"] = axis.constant ? "const" : "var";
    if (axis.constant) one["value"] = *axis.constant;
    if (axis.description) one["description"] = *axis.description;
  }
  document["inputs"] = TensorsToJson(definition.inputs);
  document["outputs"] = TensorsToJson(definition.outputs);
  if (!definition.constraints.empty()) {
    document["constraints"] = definition.constraints;
  }
  document["reference"] = definition.reference;
  if (definition.custom_inputs_entrypoint) {
    document["custom_inputs_entrypoint"] = *definition.custom_inputs_entrypoint;
  }
  return document;
}

}  // namespace coppice::eval
