#include "engine/service/test_service.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coppice::service {

bool IsOfType(const Json& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

std::string WhyAgainst(const Json& schema, const Json& value,
                       const std::string& at) {
  const Json types = schema.value("type", Json());
  const auto fits = [&](const Json& type) {
    return IsOfType(value, type.get<std::string>());
  };
  const bool is_one = types.is_array() ? std::ranges::any_of(types, fits)
                                       : types.is_null() || fits(types);
  if (!is_one) return at + ": has a type that the schema does not";
  const Json words = schema.value("enum", Json::array({value}));
  if (std::ranges::find(words, value) == words.end()) {
    return at + ": is none of its words";
  }
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string why =
          WhyAgainst(schema.value("items", Json::object()), value[i],
                     at + "[" + std::to_string(i) + "]");
      if (!why.empty()) return why;
    }
    const bool is_short = value.size() < schema.value("minItems", 0U);
    const bool is_long = value.size() > schema.value("maxItems", 1'000'000U);
    return is_short || is_long ? at + ": has too few or too many" : "";
  }
  if (!value.is_object()) return "";
  for (const Json& name : schema.value("required", Json::array())) {
    if (!value.contains(name.get<std::string>())) {
      return at + "." + name.get<std::string>() + ": is missing";
    }
  }
  const Json known = schema.value("properties", Json::object());
  const Json other = schema.value("additionalProperties", Json(true));
  for (const auto& [name, member] : value.items()) {
    std::string why;
    if (known.contains(name)) {
      why = WhyAgainst(known[name], member, at + "." + name);
    } else if (other.is_object()) {
      why = WhyAgainst(other, member, at + "." + name);
    } else if (other == false) {
      why = at + "." + name + ": is not in the schema";
    }
    if (!why.empty()) return why;
  }
  return "";
}

Result<std::string> TestService::Ask(const char* name,
                                     const std::string& request,
                                     const Call& call) {
  const Operation* operation = FindOperation(name);
  if (operation == nullptr) return Fail(Errc::kNotFound, name);
  auto answer = Answer(*operation, service_, call, request);
  if (!answer) return answer;
  const std::string why =
      WhyAgainst(Json::parse(operation->result_schema), Json::parse(*answer));
  if (!why.empty()) {
    throw std::logic_error(std::string(name) + why + " in " + *answer);
  }
  return answer;
}

Result<Json> TestService::Do(const char* name, const Json& request,
                             const Call& call) {
  TRY(text, Ask(name, request.dump(), call));
  Json answer = Json::parse(text);
  while (!request.contains("wait_s") && answer.contains("state") &&
         (answer["state"] == "queued" || answer["state"] == "running")) {
    TRY(more, Ask("get_job", Json{{"job", answer["job"]}}.dump(), call));
    answer = Json::parse(more);
  }
  return answer;
}

}  // namespace coppice::service
