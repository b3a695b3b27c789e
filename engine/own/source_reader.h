// What can be read of a kernel's function: which arguments are inputs, results,
// sizes and numbers, and how large each array is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/own/source_file.h"
#include "store/records/result.h"
#include "store/records/task.h"

namespace coppice::engine::own {

// What the user says; it is believed.
struct Wishes {
  std::string function;  // Empty: the file's only one.
  std::map<std::string, std::vector<std::string>> shapes;  // "M", "n+1", "3".
  std::map<std::string, std::string> forms;  // "positive", "index:N", ...
  std::map<std::string, std::string> values;
  std::map<std::string, std::int64_t> sizes;
  // Values of those that have one in each shape, which begin with the above.
  std::map<std::string, std::vector<std::int64_t>> all_sizes;
  std::set<std::string> in_place;  // Arrays that are read before written.
};

enum class ArgumentRole : std::uint8_t {
  kInput,
  kResult,
  kInPlace,  // Read, and written in the same place.
  kSize,
  kNumber,
};

struct Argument {
  std::string name;
  ArgumentRole part = ArgumentRole::kInput;
  std::string c_type;  // "float".
  DType dtype = DType::kFloat32;
  std::vector<std::string> shape;  // Names of axes.
  // As `Wishes::forms` has them, with ascending:LOW..HIGH and csr:N beside.
  std::string form;
  // The axis that its elements seem to be subscripts along, where that is not
  // sure enough for a form.
  std::string picks_along;
  std::string value;  // Of a number.
  // A complex number, or 64 bits without sign, as two elements of dtype: the
  // last axis of its shape has them.
  bool is_pair = false;
  bool is_by_value = false;  // Of a complex number: an array of one in a task.
  bool is_const = false;     // As its function has it.
  std::string part_how;      // How each is known: "it is const".
  std::string shape_how;
  std::string form_how;
};

struct OwnAxis {
  std::string name;
  std::optional<std::int64_t> constant;
  std::string derived;  // "n+1", of other axes; empty: it varies freely.
};

struct Reading {
  std::string name;                 // Of the function.
  std::string returns;              // Empty: nothing.
  std::vector<Argument> arguments;  // As the function has them.
  std::vector<OwnAxis> axes;
  std::string
      body;       // With one subscript for each array, and for (int i = ...).
  int depth = 1;  // Of loops.
};

// kUsage says in a line what cannot be known, and which option says it.
Result<Reading> Read(const std::vector<Piece>& pieces, const Wishes& wishes);

// The function that is meant, and what a reader should know of others.
Result<const Piece*> Chosen(const std::vector<Piece>& pieces,
                            const std::string& name);

// The type that a task has for it.  None: kernels cannot have it.
std::optional<DType> DTypeOf(const std::string& c_type);

// Whether an array of it is of pairs in a task, unless its values are small.
bool IsOfPairs(const std::string& c_type);

}  // namespace coppice::engine::own
