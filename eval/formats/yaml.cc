#include "eval/formats/yaml.h"

#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace coppice::eval {
namespace {

// An alias may be in itself, or stand for much: billions of scalars in a line.
constexpr int kDeepest = 200;
constexpr std::size_t kMostNodes = 1'000'000;

// JSON has no other texts.
void MustBeUtf8(const YAML::Node& node) {
  try {
    static_cast<void>(Json(node.Scalar()).dump());
  } catch (const Json::exception&) {
    throw YAML::Exception(node.Mark(), "a text that is not UTF-8");
  }
}

Json ScalarOf(const YAML::Node& node) {
  MustBeUtf8(node);
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // It was in quotes.
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  std::int64_t integer = 0;
  if (YAML::convert<std::int64_t>::decode(node, integer)) return integer;
  double number = 0.0;
  if (YAML::convert<double>::decode(node, number)) return number;
  return text;
}

Json JsonOf(const YAML::Node& node, int depth, std::size_t& nodes) {
  if (depth > kDeepest || ++nodes > kMostNodes) {
    throw YAML::Exception(node.Mark(), "nested over 200 deep, or too large");
  }
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return ScalarOf(node);
    case YAML::NodeType::Sequence: {
      Json items = Json::array();
      for (const YAML::Node& item : node) {
        items.push_back(JsonOf(item, depth + 1, nodes));
      }
      return items;
    }
    case YAML::NodeType::Map: {
      Json members = Json::object();
      for (const auto& member : node) {
        const auto key = member.first.as<std::string>();
        MustBeUtf8(member.first);
        if (members.contains(key)) {
          throw YAML::Exception(member.first.Mark(),
                                "\"" + key + "\" is there twice");
        }
        members[key] = JsonOf(member.second, depth + 1, nodes);
      }
      return members;
    }
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      return nullptr;
  }
  return nullptr;
}

}  // namespace

Result<Json> ParseYaml(const std::string& text, const std::string& file) {
  try {
    std::size_t nodes = 0;
    return JsonOf(YAML::Load(text), 0, nodes);
  } catch (const YAML::Exception& error) {
    const std::string at =
        error.mark.is_null() ? "" : ":" + std::to_string(error.mark.line + 1);
    return Fail(Errc::kCorrupt, file + at + ": not YAML: " + error.msg);
  }
}

}  // namespace coppice::eval
