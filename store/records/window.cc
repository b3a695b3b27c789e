#include "store/records/window.h"

namespace coppice {

std::int64_t Window::NodesCut() const {
  std::int64_t nodes = 0;
  for (const WindowCut& run : cut) nodes += run.nodes;
  return nodes;
}

}  // namespace coppice
