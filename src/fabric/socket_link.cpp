#include "isthmus/fabric/socket_link.hpp"

#include "isthmus/stream/all_closed.hpp"
#include "isthmus/stream/arbiter.hpp"

namespace isthmus::fabric {

void ToOtherSocket::step() {
  const auto link = first_come(in);
  if (!link) {
    finished_ = all_closed(in);
    return;
  }
  while (cross(*link)) continue;
}

/// Tells whether the next of this link goes on with the same read.
bool ToOtherSocket::cross(std::size_t link) {
  const HostRequest& request = in[link].read_in_place();
  if (request.due.count() > 0) dllps[link].push(request.due);
  HostRequest& sent = out.slot();
  copy(request, sent);
  sent.due = {};
  if (request.kind == HostRequest::Kind::write) timer_.wait(transfer_time(Bytes{request.bytes}, rate_));
  return request.more;
}

void FromOtherSocket::step() {
  const auto link = first_come(in);
  if (!link) {
    finished_ = all_closed(in);
    return;
  }
  const HostAnswer& answer = in[*link].read_in_place();
  copy(answer, out[*link].slot());
  timer_.wait(transfer_time(Bytes{answer.bytes}, rate_));
}

}  // namespace isthmus::fabric
