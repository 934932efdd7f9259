#include "cli/up/shim.h"

#include <charconv>

#include "cli/output.h"
#include "local/containers/shim.h"
#include "local/open_files.h"

namespace allot::cli {

Verb ShimVerb() {
  Verb verb;
  verb.name = "shim";
  verb.usage = "[flags] FOLDER";
  verb.flags = {{.name = "open-files", .value = "N", .help = "the program's limit of open files (default: that of this process)"}};
  verb.operands = Operands::kFiles;
  verb.connects = false;
  verb.run = [](const Verb&, const Arguments& arguments) {
    uint64_t open_files = 0;
    const std::string text = arguments.Get("open-files");
    std::from_chars(text.data(), text.data() + text.size(), open_files);
    local::SetOpenFiles(open_files);
    if (arguments.operands().size() == 1) return local::RunShim(std::string(arguments.operands()[0]));
    return BadUsage("shim takes the folder of one container; it is for `allot up` only");
  };
  return verb;
}

}  // namespace allot::cli
