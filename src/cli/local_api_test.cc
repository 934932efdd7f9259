#include "cli/local_api.h"

#include <gtest/gtest.h>

namespace allot::cli {
namespace {

TEST(LocalApi, APathIsTheUrlOfASocket) {
  EXPECT_EQ(ServerUrlOf("/tmp/try/api.sock"), "unix:///tmp/try/api.sock");
  for (const char* url : {"unix:///tmp/try/api.sock", "https://lab:6443", "lab", ""}) EXPECT_EQ(ServerUrlOf(url), url);
}

TEST(LocalApi, OnlyTheUrlOfASocketHasOne) {
  EXPECT_EQ(SocketOf("unix:///tmp/try/api.sock"), "/tmp/try/api.sock");
  for (const char* url : {"https://lab:6443", "/tmp/try/api.sock", ""}) EXPECT_EQ(SocketOf(url), "") << url;
}

}  // namespace
}  // namespace allot::cli
