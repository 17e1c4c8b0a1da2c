#include "isthmus/base/data_file.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_folder.hpp"
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
  EXPECT_EQ(find_data_file("kernels/no-such-file.cl"), std::nullopt);
}

TEST(ReadWhole, GivesEveryByteOfAFileAndNoneOfAnEmptyOne) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff\n", 7);
  EXPECT_EQ(read_whole(folder.written("bytes", bytes), "them"), bytes);
  EXPECT_EQ(read_whole(folder.written("empty", ""), "nothing"), "");
}

TEST(ReadWhole, WhatIsNoFileIsRefusedWithWhatItShouldHold) {
  const TemporaryFolder folder;
  for (const std::string& file : {folder.path().string(), (folder / "nowhere").string()})
    EXPECT_THAT([&] { read_whole(file, "the source"); },
                testing::ThrowsMessage<Error>(file + ": cannot read the source"));
}

}  // namespace
}  // namespace isthmus
