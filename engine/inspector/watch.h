// Looks at the files twenty times a second, with one connection each, and tells
// all viewers at once when anything was committed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/inspector/inspector.h"

namespace coppice::inspector {

class Watch {
 public:
  // `tell` gets each message, by a thread of the watch's.  Both outlive it.
  Watch(Inspector& inspector, std::function<void(const std::string&)> tell);
  ~Watch();  // At once.
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  class WatchedFile;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::inspector
