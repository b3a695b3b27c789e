// Every operation takes what its schema says, and nothing else.  Each request
// here has one argument more that there is not, so that it is refused before
// anything is done, with all that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/service/json.h"
#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kStranger = "zzzzzzzzzz";

// Values of that type, within its bounds, at them where it has some.
std::vector<Json> Allowed(const std::string& name, const Json& schema) {
  if (name == "roles") return {"plan", "debug+code"};
  if (schema.contains("enum")) return schema["enum"];
  const std::string type = schema["type"];
  if (type == "string") return {"", "x"};
  if (type == "boolean") return {true, false};
  if (type == "object") return {Json::object()};
  if (type == "array") return {};  // See the tests of parts.
  std::vector<Json> values;
  for (const char* bound : {"minimum", "maximum", "default"}) {
    if (schema.contains(bound)) values.push_back(schema[bound]);
  }
  if (!schema.contains("maximum")) {
    values.push_back(type == "integer" ? Json(INT64_MAX) : Json(1e300));
  }
  if (!schema.contains("minimum")) {
    values.push_back(type == "integer" ? Json(INT64_MIN) : Json(-1e300));
  }
  return values;
}

// Those of other types, words that are none, and what lies beyond a bound.
std::vector<Json> Forbidden(const Json& schema) {
  const std::string type = schema["type"];
  std::vector<Json> values;
  for (const Json& each : {Json("x"), Json(true), Json(1), Json(0.5),
                           Json::array(), Json::object({{"x", 1}})}) {
    const bool is_number = type == "number" && each.is_number();
    if (!is_number && !IsOfType(each, type)) values.push_back(each);
  }
  if (schema.contains("enum")) values.push_back("no such word");
  const double step = type == "integer" ? 1.0 : 0.001;
  const auto beyond = [&](const char* bound, double by) {
    if (!schema.contains(bound)) return;
    const double value = schema[bound].get<double>() + by;
    values.push_back(type == "integer" ? Json(static_cast<std::int64_t>(value))
                                       : Json(value));
  };
  beyond("minimum", -step);
  beyond("maximum", step);
  return values;
}

class RequestSchemasTest : public ::testing::Test {
 protected:
  // All that is wrong with it.
  std::string Complaint(const Operation& operation, Json request) {
    request[kStranger] = 1;
    const auto answer = service_.Ask(operation.name.data(), request.dump());
    EXPECT_FALSE(answer) << operation.name;
    if (answer) return "";
    EXPECT_EQ(answer.error().code, Errc::kUsage) << operation.name;
    EXPECT_THAT(answer.error().what, HasSubstr(std::string(kStranger) +
                                               ": there is no such argument"));
    return answer.error().what;
  }

  // "wait_s: expected", of a value that is not taken.
  static std::string ExpectedOf(const std::string& field) {
    return field + ": expected ";
  }

  TestService service_;
};

TEST_F(RequestSchemasTest, EachFieldOfASchemaIsTakenAndNoOtherOne) {
  for (const Operation& operation : Operations()) {
    const Json schema = Json::parse(operation.request_schema);
    ASSERT_FALSE(schema["properties"].contains(kStranger));
    for (const auto& [name, property] : schema["properties"].items()) {
      for (const Json& value : Allowed(name, property)) {
        const std::string complaint =
            Complaint(operation, Json::object({{name, value}}));
        EXPECT_THAT(complaint, Not(HasSubstr(ExpectedOf(name))))
            << operation.name << " " << value;
        EXPECT_THAT(complaint, Not(HasSubstr(name + ": there is no such")))
            << operation.name;
      }
    }
  }
}

TEST_F(RequestSchemasTest, AValueThatASchemaForbidsIsRefused) {
  for (const Operation& operation : Operations()) {
    const Json schema = Json::parse(operation.request_schema);
    for (const auto& [name, property] : schema["properties"].items()) {
      for (const Json& value : Forbidden(property)) {
        EXPECT_THAT(Complaint(operation, Json::object({{name, value}})),
                    HasSubstr(ExpectedOf(name)))
            << operation.name << " " << value;
      }
    }
  }
}

TEST_F(RequestSchemasTest, WhatIsRequiredIsMissedAndNothingElse) {
  for (const Operation& operation : Operations()) {
    const Json schema = Json::parse(operation.request_schema);
    const Json required = schema.value("required", Json::array());
    const std::string complaint = Complaint(operation, Json::object());
    for (const auto& [name, property] : schema["properties"].items()) {
      const bool is_required =
          std::ranges::find(required, Json(name)) != required.end();
      const bool is_missed =
          (" " + complaint).find(" " + name + ": ") != std::string::npos;
      // One of source and path is, which a schema has no word for here.
      if (name == "source") continue;
      EXPECT_EQ(is_missed, is_required) << operation.name << ": " << complaint;
    }
  }
}

// What is null is not there, as clients write it that have fixed types.
TEST_F(RequestSchemasTest, NullIsAsIfItWereNotThere) {
  for (const Operation& operation : Operations()) {
    const Json schema = Json::parse(operation.request_schema);
    Json nulls = Json::object();
    for (const auto& [name, property] : schema["properties"].items()) {
      nulls[name] = nullptr;
    }
    EXPECT_EQ(Complaint(operation, nulls), Complaint(operation, Json::object()))
        << operation.name;
  }
}

TEST_F(RequestSchemasTest, PartsAreTakenAsTheirSchemaSays) {
  const Operation& tell = *FindOperation("tell");
  const Json usage =
      Json::parse(tell.request_schema)["properties"]["usage"]["properties"];
  for (const auto& each : usage.items()) {
    const std::string& name = each.key();
    const Json& property = each.value();
    const auto said = [&](const Json& value) {
      return Complaint(tell, {{"usage", Json::object({{name, value}})}});
    };
    for (const Json& value : Allowed(name, property)) {
      EXPECT_THAT(said(value), Not(HasSubstr("usage." + name))) << value;
    }
    for (const Json& value : Forbidden(property)) {
      EXPECT_THAT(said(value), HasSubstr(ExpectedOf("usage." + name)));
    }
  }
  const Operation& compare = *FindOperation("compare_kernels");
  const Json kernels = Json::parse(
      compare.request_schema)["properties"]["sources"]["items"]["properties"];
  for (const auto& each : kernels.items()) {
    const std::string& name = each.key();
    const Json& property = each.value();
    const auto said = [&](const Json& value) {
      const Json part = Json::object({{name, value}});
      return Complaint(compare, {{"sources", Json::array({part, part})}});
    };
    EXPECT_THAT(said("x"), Not(HasSubstr(ExpectedOf("sources[1]." + name))));
    for (const Json& value : Forbidden(property)) {
      EXPECT_THAT(said(value), HasSubstr(ExpectedOf("sources[1]." + name)));
    }
  }
}

// What is no object at all is refused in one line by each.
TEST_F(RequestSchemasTest, WhatIsNoObjectIsRefusedByEach) {
  std::string deep = "1";
  for (int i = 0; i < 2000; ++i) deep = "[" + deep + "]";
  for (const Operation& operation : Operations()) {
    for (const std::string& text :
         {std::string("["), std::string("null"), std::string("\xff\xfe"),
          std::string("{\"a\":1"), std::string("{} {}"), deep,
          "{\"task\":" + deep + "}"}) {
      const auto answer = service_.Ask(operation.name.data(), text);
      ASSERT_FALSE(answer) << operation.name;
      EXPECT_EQ(answer.error().code, Errc::kUsage);
      EXPECT_THAT(answer.error().what,
                  HasSubstr("the arguments are no JSON object"));
      EXPECT_LT(answer.error().what.size(), 1000u);
    }
  }
}

TEST_F(RequestSchemasTest, TheCheckerFindsWhatASchemaForbids) {
  const Json schema = Json::parse(
      R"({"type":"object","required":["a"],"additionalProperties":false,)"
      R"("properties":{"a":{"type":["integer","null"]},)"
      R"("b":{"type":"array","maxItems":2,"items":{"type":"string",)"
      R"("enum":["x","y"]}},)"
      R"("c":{"type":"object","additionalProperties":{"type":"number"}}}})");
  struct Case {
    const char* value;
    const char* why;
  };
  for (const Case& each : {
           Case{R"({"a":1,"b":["x","y"],"c":{"p":1,"q":0.5}})", ""},
           Case{R"({"a":null})", ""},
           Case{R"([])", ": has a type that the schema does not"},
           Case{R"({})", ".a: is missing"},
           Case{R"({"a":1.5})", ".a: has a type that the schema does not"},
           Case{R"({"a":1,"d":1})", ".d: is not in the schema"},
           Case{R"({"a":1,"b":["x","z"]})", ".b[1]: is none of its words"},
           Case{R"({"a":1,"b":["x","x","x"]})", ".b: has too few or too many"},
           Case{R"({"a":1,"c":{"p":"1"}})",
                ".c.p: has a type that the schema does not"},
       }) {
    EXPECT_EQ(WhyAgainst(schema, Json::parse(each.value)), each.why)
        << each.value;
  }
}

}  // namespace
}  // namespace coppice::service
