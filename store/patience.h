// How long a database waits for what only others can mend: a lock that another
// process holds, a disk without room.
#pragma once

#include "store/records/result.h"

namespace coppice::store {

// Used by the thread that uses the database.
class Patience {
 public:
  virtual ~Patience() = default;

  // `error` is in the way, kBusy or kFull.  Blocks for a moment, after which it
  // is tried again; false: no more, and whoever asked gets kCancelled.  Must
  // not throw.
  virtual bool Wait(const Error& error) = 0;

  // What was waited for is over.
  virtual void GoOn() = 0;
};

}  // namespace coppice::store
