#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "eval/formats/lax.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

constexpr std::array<std::string_view, 14> kDrawNames = {
    "plain",      "ones", "zeros",    "causal_mask", "bits",
    "cosine",     "sine", "positive", "decay",       "log_decay",
    "decay_sums", "gate", "softmax",  "weight"};  // By Draw.

// An integer, a number or a bool; a string that is one of these, in that
// order.
Result<InputSpec> ReadScalar(const Cursor& place) {
  TRY(cursor, place.Member("value"));
  const Json& value = cursor.Value();
  if (value.is_boolean()) return InputSpec(ScalarInput{value.get<bool>()});
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return cursor.Wrong("does not fit 64 bits");
  }
  if (value.is_number_integer()) {
    return InputSpec(ScalarInput{value.get<std::int64_t>()});
  }
  if (value.is_number_float()) {
    return InputSpec(ScalarInput{value.get<double>()});
  }
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (const auto number = LaxInteger(text)) {
      return InputSpec(ScalarInput{*number});
    }
    if (const auto number = LaxNumber(text)) {
      return InputSpec(ScalarInput{*number});
    }
    if (const auto truth = LaxBool(text)) {
      return InputSpec(ScalarInput{*truth});
    }
  }
  return cursor.Wrong("expected a number or a bool");
}

// A document of somebody else's says nothing of how it is drawn.
Result<InputSpec> ReadRandom(const Cursor& place) {
  const std::optional<Cursor> draw = place.Find("draw");
  if (!draw) return InputSpec(RandomInput{});
  TRY(index, draw->OneOf(kDrawNames));
  return InputSpec(RandomInput{static_cast<Draw>(index)});
}

// Without a type, the kind is told by the other keys.
Result<std::string> ReadInputType(const Cursor& place) {
  if (place.Find("type")) return place.StringMember("type");
  if (place.Find("path") && place.Find("tensor_key")) {
    return std::string("safetensors");
  }
  if (place.Find("value")) return std::string("scalar");
  return std::string("random");
}

Result<InputSpec> ReadInput(const Cursor& place) {
  if (!place.Value().is_object()) return place.Wrong("expected an object");
  TRY(type, ReadInputType(place));
  if (type == "random") return ReadRandom(place);
  if (type == "custom") return InputSpec(CustomInput{});
  if (type == "scalar") return ReadScalar(place);
  if (type == "safetensors") {
    TRY(path, place.StringMember("path"));
    TRY(key, place.StringMember("tensor_key"));
    return InputSpec(SafetensorsInput{.path = path, .tensor_key = key});
  }
  return place.Wrong("/type \"" + type +
                     "\" is none of random, scalar, safetensors");
}

struct InputToJson {
  Json operator()(const RandomInput& random) const {
    Json json = {{"type", "random"}};
    if (random.draw != Draw::kPlain) json["draw"] = Name(random.draw);
    return json;
  }
  Json operator()(const CustomInput&) const { return {{"type", "custom"}}; }
  Json operator()(const ScalarInput& scalar) const {
    Json json = {{"type", "scalar"}};
    std::visit([&](auto value) { json["value"] = value; }, scalar.value);
    if (const auto* number = std::get_if<double>(&scalar.value)) {
      json["value"] = NumberJson(*number);
    }
    return json;
  }
  Json operator()(const SafetensorsInput& file) const {
    return {{"type", "safetensors"},
            {"path", file.path},
            {"tensor_key", file.tensor_key}};
  }
};

bool Varies(const Definition& definition, const std::string& name) {
  return std::any_of(
      definition.axes.begin(), definition.axes.end(),
      [&](const Axis& axis) { return axis.name == name && !axis.constant; });
}

// The validator's rule: exactly the varying axes, all positive.
Result<std::vector<std::pair<std::string, std::int64_t>>> ReadWorkloadAxes(
    const Cursor& document, const Definition& definition) {
  TRY(place, document.Member("axes"));
  TRY(members, place.Members());
  for (const auto& [name, member] : members) {
    if (!Varies(definition, name)) {
      return member.Wrong("not a varying axis of " + definition.name);
    }
  }
  std::vector<std::pair<std::string, std::int64_t>> axes;
  for (const Axis& axis : definition.axes) {
    if (axis.constant) continue;
    TRY(member, place.Member(axis.name));
    TRY(size, member.NonNegativeInteger());
    if (size == 0) return member.Wrong("expected an integer > 0");
    axes.emplace_back(axis.name, size);
  }
  return axes;
}

Result<std::vector<std::pair<std::string, InputSpec>>> ReadWorkloadInputs(
    const Cursor& document, const Definition& definition) {
  TRY(place, document.Member("inputs"));
  TRY(members, place.Members());
  for (const auto& [name, member] : members) {
    const bool known = std::any_of(
        definition.inputs.begin(), definition.inputs.end(),
        [&input = name](const TensorSpec& t) { return t.name == input; });
    if (!known) return member.Wrong("not an input of " + definition.name);
  }
  std::vector<std::pair<std::string, InputSpec>> inputs;
  for (const TensorSpec& tensor : definition.inputs) {
    InputSpec input = RandomInput{};
    if (const std::optional<Cursor> member = place.Find(tensor.name)) {
      TRY(given, ReadInput(*member));
      if (std::holds_alternative<CustomInput>(given) &&
          !definition.custom_inputs_entrypoint) {
        return member->Wrong(definition.name +
                             " names no custom_inputs_entrypoint");
      }
      input = given;
    }
    inputs.emplace_back(tensor.name, std::move(input));
  }
  return inputs;
}

}  // namespace

std::string_view Name(Draw draw) {
  return kDrawNames[static_cast<std::size_t>(draw)];
}

Result<Workload> ReadWorkload(const Cursor& document) {
  Workload workload;
  TRY(axes_place, document.Member("axes"));
  TRY(axes, axes_place.Members());
  for (const auto& [name, place] : axes) {
    TRY(size, place.NonNegativeInteger());
    workload.axes.emplace_back(name, size);
  }
  TRY(inputs_place, document.Member("inputs"));
  TRY(inputs, inputs_place.Members());
  for (const auto& [name, place] : inputs) {
    TRY(input, ReadInput(place));
    workload.inputs.emplace_back(name, std::move(input));
  }
  TRY_ASSIGN(workload.uuid, document.StringMember("uuid"));
  return workload;
}

Result<Workload> ReadWorkload(const Cursor& document,
                              const Definition& definition) {
  TRY(uuid, document.StringMember("uuid"));
  TRY(axes, ReadWorkloadAxes(document, definition));
  TRY(inputs, ReadWorkloadInputs(document, definition));
  return Workload{.uuid = std::move(uuid),
                  .axes = std::move(axes),
                  .inputs = std::move(inputs)};
}

Json ToJson(const Workload& workload) {
  Json document;
  Json& axes = document["axes"] = Json::object();
  for (const auto& [name, size] : workload.axes) axes[name] = size;
  Json& inputs = document["inputs"] = Json::object();
  for (const auto& [name, input] : workload.inputs) {
    inputs[name] = std::visit(InputToJson{}, input);
  }
  document["uuid"] = workload.uuid;
  return document;
}

}  // namespace coppice::eval
