#pragma once
// Keeps the ResourceSlices of one driver up to date with what the driver offers.
//
//   Driver::Offer ──► Publisher ──► ResourceSlices
//
// One thread calls Publish and Stop; state() is thread-safe.

#include <atomic>
#include <mutex>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "node/driver.h"
#include "node/prepare/holding.h"
#include "node/publish/publisher.h"
#include "node/told.h"

namespace allot::node {

class Offering {
 public:
  // All references must outlive it.
  Offering(Driver& driver, std::string node_name, kube::Client& client, const Clock& clock, Random& random, Log& log);

  // Publishes what the driver offers, if that changed. Does nothing before the driver has looked at its devices and the API server has
  // confirmed that no other program hands them out.
  void Publish(const Holdings& holdings, const Cancel& stop);
  void Stop() { publisher_.Stop(); }

  // Ok if everything that should be offered is. Otherwise says what is in the way.
  Status state();

 private:
  bool MayPublish(const Cancel& stop);
  // Tells the driver once what an agent before this one published. False: the API server did not say yet.
  bool Recall();
  void OnPublished(const Publication& publication);

  Driver& driver_;
  const std::string node_name_;
  kube::Client& client_;
  Log& log_;
  bool publishing_ = false, recalled_ = false;
  std::atomic<size_t> offered_ = 0;  // devices
  Told rival_told_;
  std::mutex mutex_;
  Status rival_;  // not ok: another program hands out the devices, or nothing is known about that
  Publisher publisher_;
};

}  // namespace allot::node
