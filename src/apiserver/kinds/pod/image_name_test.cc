#include "apiserver/kinds/pod/image_name.h"

#include <gtest/gtest.h>

#include <string>

namespace allot::apiserver {
namespace {

TEST(ImageName, WithoutTagAndDigestIsLatest) {
  for (const char* image :
       {"i", "i:latest", "library/i", "localhost:5000/i", "ghcr.io/a/b", "Host.io/a/b:latest", "a-b/c__d.e", "[fd00::1]:5000/i"}) {
    EXPECT_TRUE(IsLatestImage(image)) << image;
  }
}

TEST(ImageName, WithAnotherTagOrADigestIsNot) {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  EXPECT_FALSE(IsLatestImage("i:1"));
  EXPECT_FALSE(IsLatestImage("localhost:5000/i:v2"));
  EXPECT_FALSE(IsLatestImage("i" + digest));
  EXPECT_FALSE(IsLatestImage("i:1" + digest));
  EXPECT_TRUE(IsLatestImage("i:latest" + digest));
}

TEST(ImageName, WhatNamesNoImageIsNotLatest) {
  for (const char* image :
       {"", "a/B", "a//b", "a:", "a:b:c", "_a", "a...b", "a@sha256:1", "a/", "i:-x", "../x", "h.:1/x", "h:x/i", "-h.io/i"}) {
    EXPECT_FALSE(IsLatestImage(image)) << image;
  }
  EXPECT_FALSE(IsLatestImage(std::string(64, 'a')));
}

}  // namespace
}  // namespace allot::apiserver
