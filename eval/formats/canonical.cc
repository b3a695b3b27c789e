// The fields that are set, in the order of FlashInfer-Bench's models.
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

using Convert = Json (*)(const Json&);

struct Field {
  const char* name;
  Convert convert;
};

Json Fields(const Json& from, std::initializer_list<Field> fields) {
  Json to = Json::object();
  for (const Field& field : fields) {
    const auto found = from.find(field.name);
    if (found == from.end()) continue;
    to[field.name] = found->is_null() ? Json(nullptr) : field.convert(*found);
  }
  return to;
}

template <Convert convert>
Json Members(const Json& from) {
  Json to = Json::object();
  for (const auto& [name, member] : from.items()) to[name] = convert(member);
  return to;
}

template <Convert convert>
Json Items(const Json& from) {
  Json to = Json::array();
  for (const Json& item : from) to.push_back(convert(item));
  return to;
}

Json Same(const Json& value) { return value; }

Json Integer(const Json& value) {
  return *Cursor(value, "").NonNegativeInteger();
}

Json Bool(const Json& value) { return *Cursor(value, "").Bool(); }

Json AxisDocument(const Json& axis) {
  const bool constant =
      axis.contains("type") ? axis["type"] == "const" : axis.contains("value");
  return constant
             ? Fields(
                   axis,
                   {{"type", Same}, {"value", Integer}, {"description", Same}})
             : Fields(axis, {{"type", Same}, {"description", Same}});
}

Json TensorDocument(const Json& tensor) {
  return Fields(tensor,
                {{"shape", Same}, {"dtype", Same}, {"description", Same}});
}

Json SourceDocument(const Json& source) {
  return Fields(source, {{"path", Same}, {"content", Same}});
}

Json SpecDocument(const Json& spec) {
  return Fields(spec, {{"language", Same},
                       {"target_hardware", Same},
                       {"entry_point", Same},
                       {"dependencies", Same},
                       {"destination_passing_style", Bool},
                       {"binding", Same}});
}

}  // namespace

Json CanonicalDefinition(const Json& definition) {
  return Fields(definition, {{"name", Same},
                             {"op_type", Same},
                             {"axes", Members<AxisDocument>},
                             {"inputs", Members<TensorDocument>},
                             {"outputs", Members<TensorDocument>},
                             {"reference", Same},
                             {"tags", Same},
                             {"description", Same},
                             {"constraints", Same}});
}

Json CanonicalSolution(const Json& solution) {
  return Fields(solution, {{"name", Same},
                           {"definition", Same},
                           {"author", Same},
                           {"spec", SpecDocument},
                           {"sources", Items<SourceDocument>},
                           {"description", Same}});
}

}  // namespace coppice::eval
