// An nvidia-smi for test images and simulated GPUs. It shows the GPUs that its container or process can see, from the device nodes and the
// environment, and accepts the settings that a node makes. It needs no driver, no library and no GPU.
//
//   nvidia-smi                                                a table
//   nvidia-smi -L                                             a line for each GPU
//   nvidia-smi --query-gpu=index,uuid --format=csv[,noheader][,nounits]
//   nvidia-smi compute-policy -i UUID --set-timeslice N       written to the file ALLOT_FAKE_SMI_LOG
//   nvidia-smi -i UUID -c MODE                                likewise
//
// ALLOT_FAKE_SMI_GPUS is a file with the machine's GPUs, for processes outside containers (visible.h). Without it, the program uses the
// device nodes in ALLOT_FAKE_SMI_DEV, which is /dev unless set.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "device/fake_smi/visible.h"

namespace allot::device::fake_smi {
namespace {

constexpr int kNoDevices = 6, kBadUsage = 2;  // as the real one's exit codes
constexpr const char* kNothing = "[N/A]";

std::string Memory(const VisibleGpu& gpu, bool units) {
  const std::optional<int64_t> mib = gpu.limit_mib ? gpu.limit_mib : gpu.whole_mib;
  return mib ? std::to_string(*mib) + (units ? " MiB" : "") : kNothing;
}

const char* Name(const VisibleGpu& gpu) { return gpu.name.empty() ? "NVIDIA GPU" : gpu.name.c_str(); }

void PrintTable(const std::vector<VisibleGpu>& gpus) {
  std::printf("+-----------------------------------------------------------------------------+\n");
  std::printf("| NVIDIA-SMI (fake)          what this container may see                      |\n");
  std::printf("|-----+---------------+-------------------------------------------+-----------|\n");
  std::printf("| GPU | Device        | UUID                                      | Memory    |\n");
  std::printf("|=====+===============+===========================================+===========|\n");
  for (size_t i = 0; i < gpus.size(); ++i) {
    const std::string device = "/dev/nvidia" + std::to_string(gpus[i].minor);
    std::printf("| %3zu | %-13s | %-41s | %9s |\n", i, device.c_str(), gpus[i].uuid.empty() ? kNothing : gpus[i].uuid.c_str(),
                Memory(gpus[i], true).c_str());
  }
  std::printf("+-----------------------------------------------------------------------------+\n");
}

void PrintList(const std::vector<VisibleGpu>& gpus) {
  for (size_t i = 0; i < gpus.size(); ++i) {
    std::printf("GPU %zu: %s (UUID: %s)\n", i, Name(gpus[i]), gpus[i].uuid.empty() ? kNothing : gpus[i].uuid.c_str());
  }
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else if (c != ' ') {
      parts.back() += c;
    }
  }
  return parts;
}

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

int PrintQuery(const std::vector<VisibleGpu>& gpus, const std::string& query, const std::string& format) {
  const std::vector<std::string> fields = SplitAtCommas(query), options = SplitAtCommas(format);
  const auto has = [&](const char* option) { return std::ranges::find(options, option) != options.end(); };
  std::vector<std::string> header;
  for (const std::string& field : fields) {
    if (field != "index" && field != "uuid" && field != "name" && field != "memory.total") {
      std::printf("Field \"%s\" is not a valid field to query.\n", field.c_str());
      return kBadUsage;
    }
    header.push_back(field == "memory.total" && !has("nounits") ? "memory.total [MiB]" : field);
  }
  if (!has("noheader")) std::printf("%s\n", Join(header).c_str());
  for (size_t i = 0; i < gpus.size(); ++i) {
    std::vector<std::string> row(fields);
    for (std::string& cell : row) {
      cell = cell == "index"  ? std::to_string(i)
             : cell == "uuid" ? (gpus[i].uuid.empty() ? kNothing : gpus[i].uuid)
             : cell == "name" ? Name(gpus[i])
                              : Memory(gpus[i], !has("nounits"));
    }
    std::printf("%s\n", Join(row).c_str());
  }
  return 0;
}

// Appends one line with the arguments in one write, since several programs may append at once.
int Record(const std::vector<std::string>& arguments) {
  const char* path = std::getenv("ALLOT_FAKE_SMI_LOG");
  if (!path) return 0;
  std::string line;
  for (const std::string& argument : arguments) line += (line.empty() ? "" : " ") + argument;
  line += '\n';
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  const bool written = file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!written) std::perror(path);
  if (file >= 0) close(file);
  return written ? 0 : 1;
}

std::vector<VisibleGpu> Visible(const std::vector<std::string>& environment) {
  if (const char* file = std::getenv("ALLOT_FAKE_SMI_GPUS")) {
    std::ifstream list(file);
    const std::string text{std::istreambuf_iterator<char>(list), std::istreambuf_iterator<char>()};
    return FindListed(text, environment);
  }
  const char* dev = std::getenv("ALLOT_FAKE_SMI_DEV");
  return FindVisible(dev ? dev : "/dev", environment);
}

int Main(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  const auto has = [&](const char* option) { return std::ranges::find(arguments, option) != arguments.end(); };
  const auto value = [&](const std::string& option) -> std::string {
    for (const std::string& argument : arguments) {
      if (argument.starts_with(option)) return argument.substr(option.size());
    }
    return "";
  };
  if (has("compute-policy") || has("-c")) return Record(arguments);
  const std::string query = value("--query-gpu=");
  if (!arguments.empty() && !has("-L") && query.empty()) {
    std::printf(
        "Invalid combination of input arguments: this is allot's nvidia-smi for tests, which knows -L, --query-gpu=, compute-policy and "
        "-c\n");
    return kBadUsage;
  }
  const std::vector<VisibleGpu> gpus = Visible(environment);
  if (gpus.empty()) {
    std::printf("No devices were found\n");
    return kNoDevices;
  }
  if (!query.empty()) return PrintQuery(gpus, query, value("--format="));
  has("-L") ? PrintList(gpus) : PrintTable(gpus);
  return 0;
}

}  // namespace
}  // namespace allot::device::fake_smi

int main(int argc, char** argv) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable; ++variable) environment.emplace_back(*variable);
  return allot::device::fake_smi::Main(std::vector<std::string>(argv + 1, argv + argc), environment);
}
