// What candidates in Python are evaluated in.
#pragma once

#include <string>

#include "store/records/result.h"

namespace coppice {
struct Environment;
struct Evaluation;
}  // namespace coppice

namespace coppice::eval::torch {

class PythonWorkbench;

// Before a task is known.  A kernel worker tells the device's name.
Result<Environment> EnvironmentOf(PythonWorkbench& workbench);

// "NVIDIA H200", or the processor's.
Result<std::string> HardwareOf(PythonWorkbench& workbench);

// Enters where the bench judges: environment and device.
void EnterPlace(PythonWorkbench& workbench, Evaluation& evaluation);

}  // namespace coppice::eval::torch
