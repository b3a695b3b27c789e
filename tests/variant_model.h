// For tests: a model that writes variants of the task's root, as
// tests/drifting_machine.h knows them.
#pragma once

#include <memory>

namespace coppice::agents {
class Model;
}

namespace coppice {

// A dozen: one that is there already comes with another comment, and nothing
// else.
std::unique_ptr<agents::Model> MakeVariantModel();

}  // namespace coppice
