#pragma once
// Simulated GPUs: a folder that looks like the root of a machine with NVIDIA's driver.
//
//   FOLDER/usr/lib64/libnvidia-ml.so.1, fake_nvml.yaml   shows the GPUs; the code for real GPUs loads it
//   FOLDER/usr/lib64/libcuda.so.VERSION                  empty, because nothing computes here
//   FOLDER/usr/bin/nvidia-smi                            shows a process its GPUs
//   FOLDER/dev/nvidia0, nvidiactl, ...                   plain files instead of device nodes, which only root could make
//   FOLDER/gpus                                          the list that nvidia-smi reads
//
// UUIDs are made from the node's name, the model and the minor, so they are the same at every start. All users may read the folder.

#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/process.h"
#include "base/status.h"

namespace allot::local {

// The files that such a folder is made from.
struct Simulator {
  std::string library;  // the fake libnvidia-ml.so.1
  std::string smi;      // the fake nvidia-smi

  // Finds the files of the program at `program`: beside it in a build folder, or in ../lib/allot if it is installed. kNotFound names the
  // folders that were searched.
  static Result<Simulator> Find(const std::string& program);
};

// Makes or updates the folder. Running processes of an earlier start may use it. REQUIRES known models.
Status MakeSimulatedDriver(FileSystem& files, const Simulator& simulator, const std::string& folder, std::string_view node_name,
                           const std::vector<std::string>& models);

// Returns the environment that makes a process see the simulated driver. PATH, with the folder's nvidia-smi, goes before its own.
Environment SimulatedEnvironment(const std::string& folder);

}  // namespace allot::local
