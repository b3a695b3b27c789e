// Parts of the JSON Schemas that several operations have in common.
#pragma once

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
    R"("language":{"type":"string","description":"That of the task, if it is )"
    R"(said at all"})";

inline constexpr std::string_view kWaitProperty =
    R"("wait_s":{"type":"number","minimum":0,"maximum":55,"default":40,)"
    R"("description":"Seconds, after which a job is answered"})";

inline constexpr std::string_view kJobProperties =
    R"("job":{"type":["string","null"]},)"
    R"("state":{"type":"string",)"
    R"("enum":["queued","running","done","cancelled"]})";

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
