#include "engine/inspector/post_body.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "engine/inspector/inspector.h"

namespace coppice::inspector {

const Json& MemberOf(const Json& object, const char* key) {
  static const Json kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

Result<Json> ParseObject(const std::string& body, std::string_view form) {
  Json document = Json::parse(body, nullptr, false);
  if (!document.is_object()) return Fail(Errc::kUsage, std::string(form));
  const Json& db = MemberOf(document, "db");
  if (!db.is_null() && !db.is_number_unsigned()) {
    return Fail(Errc::kUsage, std::string(form));
  }
  return document;
}

Result<Json> ParsePosted(const std::string& body, std::string_view form) {
  TRY(document, ParseObject(body, form));
  if (!MemberOf(document, "c").is_string()) {
    return Fail(Errc::kUsage, std::string(form));
  }
  return document;
}

std::size_t FileOf(const Json& document) {
  const Json& db = MemberOf(document, "db");
  return db.is_null() ? 0 : db.get<std::size_t>();
}

Addressee AddresseeOf(const Json& document) {
  return {FileOf(document), MemberOf(document, "c").get<std::string>()};
}

Result<std::optional<std::int64_t>> WholeIn(const Json& object,
                                            const char* key) {
  const Json& member = MemberOf(object, key);
  if (member.is_null()) return std::optional<std::int64_t>();
  if (!member.is_number_integer() || member < 0) {
    return Fail(Errc::kUsage, std::string(key) + ": expected a whole number");
  }
  return std::optional(member.get<std::int64_t>());
}

Result<std::optional<double>> NumberIn(const Json& object, const char* key) {
  const Json& member = MemberOf(object, key);
  if (member.is_null()) return std::optional<double>();
  if (member.is_number()) return std::optional(member.get<double>());
  return Fail(Errc::kUsage, std::string(key) + ": expected a number");
}

Result<std::string> TextIn(const Json& object, const char* key) {
  const Json& member = MemberOf(object, key);
  if (member.is_null()) return std::string();
  if (member.is_string()) return member.get<std::string>();
  return Fail(Errc::kUsage, std::string(key) + ": expected a text");
}

Result<store::Database> OpenToWrite(const QueryParameters& asked,
                                    std::size_t file) {
  const auto& paths = asked.inspector().files().paths();
  if (file >= paths.size()) {
    return Fail(Errc::kNotFound,
                "db=" + std::to_string(file) + ": there is no such database");
  }
  return store::Database::Open(paths[file], store::Access::kReadWrite);
}

}  // namespace coppice::inspector
