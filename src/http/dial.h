#pragma once
// Connects, and waits for bytes with a deadline. The blocking client is built on it.

#include <optional>
#include <string>

#include "base/patience.h"
#include "base/status.h"
#include "http/transport.h"

namespace allot::http {

struct Address {
  std::string host;  // a name or an IP address (IPv6 without brackets)
  int port = 0;
  std::string unix_path;  // used instead of host and port

  // "127.0.0.1:6443", "[::1]:6443", "unix:/run/x.sock"
  std::string ToString() const;
};

// Tries each address of the name. The socket is non-blocking and has keep-alives on, so a dead peer is noticed. Returns kUnavailable with
// the address and the kernel's error.
Result<Socket> Dial(const Address& address, const Patience& patience);

// Returns kUnavailable ("cancelled" or "no answer in time") once the patience has ended.
Status Check(const Patience& patience);

// Waits until the transport is ready. Returns kUnavailable: "no answer in time" or "cancelled".
Status Await(const Transport& transport, Transport::Wait wait, const Patience& patience);
Status WriteAll(Transport& transport, std::string_view bytes, const Patience& patience);
// Reads at least one byte. Returns 0 if the peer sends no more.
Result<size_t> ReadSome(Transport& transport, std::span<char> into, const Patience& patience);

}  // namespace allot::http
