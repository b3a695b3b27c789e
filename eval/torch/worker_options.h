// How an evaluator's options are its workers'.
#pragma once

#include <string>

namespace coppice::eval {
struct PythonEvaluatorOptions;
}

namespace coppice::eval::torch {

struct Interpreter;
struct WorkerOptions;

// What neither has: a folder in /tmp for what candidates compile, paths without
// a working directory, no limit of memory on a device.  `device` is chosen
// (device.h).
WorkerOptions OptionsFor(const PythonEvaluatorOptions& options,
                         const Interpreter& interpreter,
                         const std::string& device);

// What torch imports when a task's text has it do so, which takes seconds in
// each process; separated by spaces.
std::string ImportsOf(const std::string& text);

}  // namespace coppice::eval::torch
