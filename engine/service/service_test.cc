#include "engine/service/service.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/service/test_service.h"
#include "store/write/verdict_cache.h"

namespace coppice::service {
namespace {

// Notes its end.
template <int number>
struct Noted {
  std::string& ends;
  explicit Noted(std::string& where) : ends(where) {}
  ~Noted() { ends += std::to_string(number); }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;
};

template <int number>
auto Making(std::string& ends) {
  return [&ends]() -> Result<std::unique_ptr<Noted<number>>> {
    return std::make_unique<Noted<number>>(ends);
  };
}

ServiceOptions OptionsOf(TestService& like) {
  return {.config = like.service().config(), .runner = like.service().runner()};
}

TEST(ServiceTest, APartIsMadeOnceAndThoseMadeLastGoFirst) {
  TestService like;
  std::string ends;
  {
    Service service(OptionsOf(like), like.service().clock());
    const auto first = service.Part<Noted<1>>(Making<1>(ends));
    const auto second = service.Part<Noted<2>>(Making<2>(ends));
    EXPECT_EQ(*service.Part<Noted<1>>(Making<1>(ends)), *first);
    EXPECT_NE(static_cast<void*>(*first), static_cast<void*>(*second));
    EXPECT_EQ(ends, "");
  }
  EXPECT_EQ(ends, "21");
}

TEST(ServiceTest, APartThatCouldNotBeMadeIsTriedAgain) {
  TestService like;
  std::string ends;  // Outlives what notes its end in it.
  Service service(OptionsOf(like), like.service().clock());
  const auto failing = []() -> Result<std::unique_ptr<Noted<1>>> {
    return Fail(Errc::kIo, "disk full");
  };
  const auto failed = service.Part<Noted<1>>(failing);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "disk full");
  EXPECT_TRUE(service.Part<Noted<1>>(Making<1>(ends)));
}

// A part may ask for one of another kind while it is made.
TEST(ServiceTest, APartMayNeedAnother) {
  TestService like;
  std::string ends;
  Service service(OptionsOf(like), like.service().clock());
  const auto outer =
      service.Part<Noted<1>>([&]() -> Result<std::unique_ptr<Noted<1>>> {
        TRY_DONE(service.Part<Noted<2>>(Making<2>(ends)));
        return std::make_unique<Noted<1>>(ends);
      });
  EXPECT_TRUE(outer);
}

TEST(ServiceTest, WhoeverWaitsIsToldOfItsEnd) {
  TestService like;
  Service service(OptionsOf(like), like.service().clock());
  const std::stop_token ending = service.ending();
  EXPECT_FALSE(ending.stop_requested());
  service.End();
  EXPECT_TRUE(ending.stop_requested());
}

TEST(ServiceTest, VerdictsAreKeptBesideWhatIsCompiled) {
  TestService like;
  const Service service(OptionsOf(like), like.service().clock());
  EXPECT_EQ(service.verdicts(), service.settings().cache_directory /
                                    store::VerdictCache::kFileName);
}

}  // namespace
}  // namespace coppice::service
