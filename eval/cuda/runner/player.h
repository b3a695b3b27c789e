// A part that a runner has taken in one workload.
#pragma once

#include <memory>

#include "eval/cuda/runner/talk.h"
#include "eval/cuda/runner/timer.h"

namespace coppice::eval::cuda {

class Player {
 public:
  virtual ~Player() = default;

  // Sends the answer itself.
  virtual void Answer(const Asked& asked) = 0;
};

// What a player is made of.  All of it outlives the player but `opened`, whose
// descriptors it may take: those of kOpen.
struct Orders {
  const Gpu& gpu;
  const Timer& timer;
  const Control& control;
  const std::string& code;
  const Asked& opened;
};

// Both answer kOpen.
std::unique_ptr<Player> MakeKeeper(const Orders& orders);
std::unique_ptr<Player> MakeContestant(const Orders& orders);

}  // namespace coppice::eval::cuda
