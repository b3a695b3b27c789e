// What programs may ask of coppice: typed operations, each a JSON object in and
// one out.  JSON lines (stdio_front.h), HTTP (http_front.h) and MCP are fronts
// on them.
//
// A new operation is a file NAME_operation.cc with a function that returns its
// row, that function's declaration in rows.h, and a line of the table in
// operations.cc.  No other file knows its JSON.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "store/records/result.h"

namespace coppice::service {

class Service;

// What an operation does to the world, in the words of MCP's annotations.
struct Annotations {
  bool read_only = false;
  bool idempotent = false;
  bool open_world = false;
};

// How far a long operation has come.  Sent from any thread, one at a time.
struct OperationProgress {
  std::string stage;  // "waiting", "compiling", "timing"
  double done = 0;    // Of `total`; both 0: nobody knows.
  double total = 0;
  std::string message{};
};

// One request: who asks, whether it still wants the answer, and whom to tell on
// the way.
struct Call {
  std::string client;  // Fairness is by client.
  std::stop_token cancelled;
  std::function<void(const OperationProgress&)> progress{};  // May be empty.
  // Over a network: no file of this machine is opened by a name of the
  // caller's.
  bool is_remote = false;
};

struct Operation {
  std::string_view name;         // "evaluate_kernel"
  std::string_view title;        // "Judge one kernel"
  std::string_view description;  // A few sentences, for who chooses a tool.
  Annotations effects;
  // JSON Schema 2020-12 of an object, additionalProperties false.
  std::string_view request_schema;
  std::string_view result_schema;  // The same of the answer.
  // JSON text in and out; empty is {}.  Wrong arguments are one kUsage that
  // names all of them.  May be called from several threads at once; blocks.
  // Fronts ask by Answer().
  Result<std::string> (*answer)(Service& service, const Call& call,
                                std::string_view request);
};

// The table, in the order in which they are listed.
std::span<const Operation> Operations();

// Its answer; what it throws is an error (caught.h).
Result<std::string> Answer(const Operation& operation, Service& service,
                           const Call& call, std::string_view request);

// Null: there is none of that name.
const Operation* FindOperation(std::string_view name);

}  // namespace coppice::service
