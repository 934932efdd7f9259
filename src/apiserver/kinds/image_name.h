#pragma once
// What the name of an image says about its tag.

#include <string_view>

namespace allot::apiserver {

// Whether pulling the image may give another one tomorrow: it has the tag "latest", or neither tag nor digest. A text that names no image
// does not count.
bool IsLatestImage(std::string_view image);

}  // namespace allot::apiserver
