#include <gtest/gtest.h>

#include <random>

#include "agents/catalogue/rewriting.h"

namespace coppice::agents::catalogue {
namespace {

std::string Product(const std::string& type, const std::string& second) {
  return "#include <cstdint>\n\nextern \"C\" void run(const " + type +
         "* a, const " + type +
         "* b, int32_t* c, int64_t M, int64_t N, int64_t K) {\n"
         "  for (int64_t i = 0; i < M; ++i) {\n"
         "    for (int64_t j = 0; j < N; ++j) {\n"
         "      int32_t sum = 0;\n"
         "      for (int64_t k = 0; k < K; ++k) {\n"
         "        sum += a[i * K + k] * " +
         second +
         ";\n      }\n"
         "      c[i * N + j] = sum;\n    }\n  }\n}\n";
}

TEST(ByteProductTest, IsExactForAllBytesAndAnyShape) {
  for (const char* second : {"b[k * N + j]", "b[j * K + k]"}) {
    const std::string source = Product("int8_t", second);
    const std::string made = RewriteFile(source, "byte_product(i)");
    ASSERT_NE(made.find("sum += products[i * N + j];"), std::string::npos)
        << made;
    const LoadedKernel before(source);
    const LoadedKernel after(made);
    std::mt19937 engine(1);
    for (const auto& [m, n, k] :
         {std::array<int64_t, 3>{1, 1, 1}, {7, 65, 5}, {13, 130, 67}}) {
      std::vector<int8_t> a(static_cast<std::size_t>(m * k));
      std::vector<int8_t> b(static_cast<std::size_t>(n * k));
      for (int8_t& value : a) value = static_cast<int8_t>(engine() % 256 - 128);
      for (int8_t& value : b) value = static_cast<int8_t>(engine() % 256 - 128);
      a[0] = b[0] = -128;
      std::vector<int32_t> expected(static_cast<std::size_t>(m * n));
      std::vector<int32_t> actual = expected;
      before(a.data(), b.data(), expected.data(), m, n, k);
      after(a.data(), b.data(), actual.data(), m, n, k);
      EXPECT_EQ(actual, expected) << second << " " << m << " " << n << " " << k;
    }
  }
}

TEST(ByteProductTest, WiderIntegersAreNoBytes) {
  EXPECT_EQ(RewriteFile(Product("int32_t", "b[k * N + j]"), "byte_product(i)"),
            "refused: byte_product(i): the nest is no product of 8-bit "
            "integers");
}

}  // namespace
}  // namespace coppice::agents::catalogue
