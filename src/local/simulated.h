#pragma once
// GPUs that are not there: a folder that looks like the root of a machine with NVIDIA's driver.
//
//   FOLDER/usr/lib64/libnvidia-ml.so.1, fake_nvml.yaml   plays the GPUs; what loads it is the code for real ones
//   FOLDER/usr/lib64/libcuda.so.VERSION                  empty: nothing computes here
//   FOLDER/usr/bin/nvidia-smi                            shows a process the GPUs that it was given
//   FOLDER/dev/nvidia0, nvidiactl, ...                   plain files in the place of device nodes, which only root could make
//   FOLDER/gpus                                          the list that nvidia-smi goes by
//
// UUIDs are made of the node's name, the model and the minor: the same ones at every start. Everybody may read the folder.

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"

namespace allot::local {

// The parts of which such a folder is made.
struct Simulator {
  std::string library;  // the fake libnvidia-ml.so.1
  std::string smi;      // the fake nvidia-smi

  // Those that belong to the program at `program`: beside it in a build folder, or in ../lib/allot where it is installed. kNotFound says
  // where they were looked for.
  static Result<Simulator> Find(const std::string& program);
};

// Makes the folder what it should be; it may be that of an earlier start, in use by running processes. REQUIRES known models.
Status MakeSimulatedDriver(FileSystem& files, const Simulator& simulator, const std::string& folder, std::string_view node_name,
                           const std::vector<std::string>& models);

// What a process needs to see these GPUs, besides those that it was given; PATH, with the folder's nvidia-smi, goes in front of its own.
Environment SimulatedEnvironment(const std::string& folder);

}  // namespace allot::local
