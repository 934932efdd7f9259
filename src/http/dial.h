#pragma once
// Connecting, and waiting for bytes with a deadline: what the blocking client stands on.

#include <optional>
#include <string>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

// How long a call may take, and who may end it sooner.
struct Patience {
  std::optional<MonotonicTime> deadline;  // of the steady clock; none: for ever
  const Cancel* cancel = nullptr;
};

struct Address {
  std::string host;  // a name or an IP address (IPv6 without brackets)
  int port = 0;
  std::string unix_path;  // instead of host and port

  // "127.0.0.1:6443", "[::1]:6443", "unix:/run/x.sock"
  std::string ToString() const;
};

// Tries each address of the name. The socket does not block and has keep-alives on, so that a dead peer is noticed. kUnavailable names
// the address and what the kernel said.
Result<Socket> Dial(const Address& address, const Patience& patience);

// kUnavailable "cancelled" or "no answer in time" once it has run out.
Status Check(const Patience& patience);

// Waits until the transport may move on. kUnavailable "no answer in time", or "cancelled".
Status Await(const Transport& transport, Transport::Wait wait, const Patience& patience);
Status WriteAll(Transport& transport, std::string_view bytes, const Patience& patience);
// At least one byte; 0: the peer sends no more.
Result<size_t> ReadSome(Transport& transport, std::span<char> into, const Patience& patience);

}  // namespace allot::http
