// Where candidates are judged.
#pragma once

#include <string>

namespace coppice::eval {
class Evaluator;
}

namespace coppice::engine {

struct Station {
  eval::Evaluator* evaluator = nullptr;  // Not owned.
  std::string device;                    // Its UUID; empty: it has none.
};

}  // namespace coppice::engine
