// Parts of the JSON Schemas that several operations have in common.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace coppice::service {

inline constexpr std::string_view kTaskProperty =
    R"("task":{"type":"string","description":"A name that list_tasks has, )"
    R"(./FOLDER, kernelbench:FILE or fib:FILE"})";

inline constexpr std::string_view kKernelProperties =
    R"("source":{"type":"string","maxLength":262144,)"
    R"("description":"The whole kernel file"},)"
    R"("path":{"type":"string","description":"Or a file that has it"},)"
    R"("language":{"type":"string","description":"The language of the )"
    R"(task, if it is said at all"})";

inline constexpr std::string_view kWaitProperty =
    R"("wait_s":{"type":"number","minimum":0,"maximum":55,"default":40,)"
    R"("description":"Seconds, after which a job is answered"})";

inline constexpr std::string_view kJobProperties =
    R"("job":{"type":["string","null"]},)"
    R"("state":{"type":"string",)"
    R"("enum":["queued","running","done","cancelled"]})";

// Schemas of values.
inline constexpr std::string_view kText = R"({"type":"string"})";
inline constexpr std::string_view kTextOrNull = R"({"type":["string","null"]})";
inline constexpr std::string_view kCount = R"({"type":"integer"})";
inline constexpr std::string_view kCountOrNull =
    R"({"type":["integer","null"]})";
inline constexpr std::string_view kNumber = R"({"type":"number"})";
inline constexpr std::string_view kNumberOrNull =
    R"({"type":["number","null"]})";
inline constexpr std::string_view kVerdict =
    R"({"type":"string","enum":["passed","compile_failed","crashed",)"
    R"("timed_out","wrong_output","rejected","no_candidate","inconclusive"]})";
inline constexpr std::string_view kInterval =
    R"({"type":["array","null"],"items":{"type":"number"},)"
    R"("minItems":2,"maxItems":2})";

inline std::string Member(std::string_view name, std::string_view schema) {
  return '"' + std::string(name) + "\":" + std::string(schema);
}

struct Property {
  std::string_view name;
  std::string_view schema;
};

// The schema of an object within another, which always has these properties.
// Clients that have types call it by `title`.
inline std::string PartSchema(std::string_view title,
                              std::initializer_list<Property> properties) {
  std::string schemas;
  std::string names;
  for (const Property& property : properties) {
    const std::string_view comma = names.empty() ? "" : ",";
    schemas += std::string(comma) + Member(property.name, property.schema);
    names += std::string(comma) + '"' + std::string(property.name) + '"';
  }
  return R"({"type":"object","title":")" + std::string(title) +
         R"(","properties":{)" + schemas + R"(},"required":[)" + names + "]}";
}

inline std::string ListOf(const std::string& schema) {
  return R"({"type":"array","items":)" + schema + "}";
}

// A schema of an object with these properties and no others.  `required` is the
// inside of an array: "\"task\",\"source\"".
inline std::string ObjectSchema(std::string_view properties,
                                std::string_view required = "") {
  std::string schema =
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
      R"("type":"object","properties":{)";
  schema += properties;
  schema += "}";
  if (!required.empty()) {
    schema += R"(,"required":[)" + std::string(required) + "]";
  }
  return schema + R"(,"additionalProperties":false})";
}

inline std::string Listed(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += (text.empty() ? "" : ",") + std::string(part);
  }
  return text;
}

}  // namespace coppice::service
