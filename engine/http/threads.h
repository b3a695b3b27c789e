// Threads that come and go, each with a piece of work of its own.
#pragma once

#include <chrono>
#include <future>
#include <list>
#include <thread>
#include <utility>

namespace coppice::http {

// By one thread at a time.
class Threads {
 public:
  Threads() = default;
  ~Threads() { Join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // How many are at work: those that have ended leave their place.
  std::size_t Count() {
    std::erase_if(all_, [](One& one) { return one.JoinBy(Clock::now()); });
    return all_.size();
  }

  template <class Work>
  void Start(Work work) {
    Count();
    std::promise<void> end;
    std::future<void> ended = end.get_future();
    all_.push_back(
        {std::thread([work = std::move(work), end = std::move(end)]() mutable {
           {
             Work own = std::move(work);  // What it holds goes first.
             own();
           }
           end.set_value();
         }),
         std::move(ended)});
  }

  void Join() {
    for (One& one : all_) one.thread.join();
    all_.clear();
  }

  // False if a thread goes on, which is left to itself.  Those that end are
  // joined: a library frees what it keeps of a thread only as that exits.
  bool EndWithin(double patience_s) {
    const auto latest =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double>(patience_s));
    std::erase_if(all_, [&](One& one) { return one.JoinBy(latest); });
    for (One& one : all_) one.thread.detach();
    const bool all = all_.empty();
    all_.clear();
    return all;
  }

 private:
  using Clock = std::chrono::steady_clock;

  struct One {
    std::thread thread;
    std::future<void> ended;

    bool JoinBy(Clock::time_point latest) {
      if (ended.wait_until(latest) != std::future_status::ready) return false;
      thread.join();
      return true;
    }
  };
  std::list<One> all_;
};

}  // namespace coppice::http
