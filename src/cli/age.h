#pragma once
// Times as kubectl shows them.

#include <string>
#include <string_view>

#include "kube/age.h"

namespace allot::cli {

using kube::Age;
using kube::HumanDuration;

// "Mon, 16 Nov 2026 00:34:43 +0000", as describe prints times, in UTC; the text itself if it is not a time.
std::string LongTime(std::string_view time);

}  // namespace allot::cli
