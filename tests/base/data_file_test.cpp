#include "isthmus/base/data_file.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "isthmus/base/error.hpp"

namespace isthmus {
namespace {

TEST(DataFile, IsFoundInTheNearestFolderAboveTheProgramThatHasIt) {
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::filesystem::create_directories(here / "data-file-test");
  std::ofstream(here / "data-file-test" / "near.txt") << "near";
  EXPECT_EQ(data_file("data-file-test/near.txt"), here / "data-file-test" / "near.txt");
  EXPECT_EQ(data_file("data-file-test"), here / "data-file-test");
}

TEST(DataFile, OneThatIsNowhereIsRefusedWithItsName) {
  EXPECT_THAT([] { data_file("kernels/no-such-file.cl"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("kernels/no-such-file.cl")));
}

}  // namespace
}  // namespace isthmus
