// How an evaluator's options are its workers'.
#pragma once

#include "eval/evaluator.h"
#include "eval/python/interpreter.h"
#include "eval/python/worker.h"

namespace coppice::eval::python {

// What neither has: a folder in /tmp for what candidates compile, paths without
// a working directory, no limit of memory on a device.  `device` is chosen
// (device.h).
WorkerOptions OptionsFor(const PythonEvaluatorOptions& options,
                         const Interpreter& interpreter,
                         const std::string& device);

}  // namespace coppice::eval::python
