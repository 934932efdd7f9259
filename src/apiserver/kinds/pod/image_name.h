#pragma once
// The tag in the name of an image.

#include <string_view>

namespace allot::apiserver {

// Whether the image has the tag "latest", or neither tag nor digest, so that a later pull may give another image. False if the text is not
// a valid image name.
bool IsLatestImage(std::string_view image);

}  // namespace allot::apiserver
