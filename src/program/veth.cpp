// A pair of network interfaces between two namespaces, made by a child process: only a process of one thread may enter
// a user namespace. The child hands its sockets over, which keep namespaces and interfaces as long as they are open.
#include <fcntl.h>
#include <fmt/format.h>
#include <libmnl/libmnl.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "isthmus/base/error.hpp"
#include "program/packet_line.hpp"

namespace isthmus::program {
namespace {

constexpr const char* kOutside = "isthmus0";
constexpr const char* kInside = "isthmus1";
/// The header of Ethernet is not counted in an interface's MTU.
constexpr std::size_t kHeader = 14;
constexpr std::size_t kLeastMtu = 68;

struct CloseNetlink {
  void operator()(mnl_socket* open) const { mnl_socket_close(open); }
};

void require(bool done, const char* what) {
  if (!done) throw Error(fmt::format("{}: {}", what, std::strerror(errno)));
}

void write_file(const char* file, const std::string& text) {
  const Descriptor open(::open(file, O_WRONLY | O_CLOEXEC));
  require(open.number() >= 0 && write(open.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()),
          file);
}

/// Asks the kernel for a change of interfaces, and waits for its word.
class Netlink {
 public:
  Netlink() : socket_(mnl_socket_open(NETLINK_ROUTE)) {
    require(socket_ != nullptr && mnl_socket_bind(socket_.get(), 0, MNL_SOCKET_AUTOPID) == 0, "netlink");
  }
  void ask(const nlmsghdr* message, const char* what) {
    require(mnl_socket_sendto(socket_.get(), message, message->nlmsg_len) >= 0, what);
    std::array<char, 8192> answer{};
    const ssize_t size = mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size());
    require(size >= 0 && mnl_cb_run(answer.data(), static_cast<std::size_t>(size), message->nlmsg_seq,
                                    mnl_socket_get_portid(socket_.get()), nullptr, nullptr) >= 0,
            what);
  }

 private:
  std::unique_ptr<mnl_socket, CloseNetlink> socket_;
};

nlmsghdr* new_message(std::array<char, 8192>& room, std::uint16_t flags) {
  nlmsghdr* message = mnl_nlmsg_put_header(room.data());
  message->nlmsg_type = RTM_NEWLINK;
  message->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
  message->nlmsg_seq = 1;
  return message;
}

/// The pair, whose inner end lies in `other`.
void add_pair(std::size_t mtu, const Descriptor& other) {
  std::array<char, 8192> room{};
  nlmsghdr* message = new_message(room, NLM_F_CREATE | NLM_F_EXCL);
  mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
  mnl_attr_put_strz(message, IFLA_IFNAME, kOutside);
  mnl_attr_put_u32(message, IFLA_MTU, static_cast<std::uint32_t>(mtu));
  nlattr* info = mnl_attr_nest_start(message, IFLA_LINKINFO);
  mnl_attr_put_strz(message, IFLA_INFO_KIND, "veth");
  nlattr* data = mnl_attr_nest_start(message, IFLA_INFO_DATA);
  nlattr* peer = mnl_attr_nest_start(message, VETH_INFO_PEER);
  mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
  mnl_attr_put_strz(message, IFLA_IFNAME, kInside);
  mnl_attr_put_u32(message, IFLA_MTU, static_cast<std::uint32_t>(mtu));
  mnl_attr_put_u32(message, IFLA_NET_NS_FD, static_cast<std::uint32_t>(other.number()));
  mnl_attr_nest_end(message, peer);
  mnl_attr_nest_end(message, data);
  mnl_attr_nest_end(message, info);
  Netlink().ask(message, "adding a pair of network interfaces");
}

void bring_up(int index) {
  std::array<char, 8192> room{};
  nlmsghdr* message = new_message(room, 0);
  auto* interface = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  interface->ifi_index = index;
  interface->ifi_change = interface->ifi_flags = IFF_UP;
  Netlink().ask(message, "bringing a network interface up");
}

/// A socket for all packets of an interface of the namespace that the process is in.
Descriptor packets_of(const char* name) {
  const auto index = static_cast<int>(if_nametoindex(name));
  require(index != 0, name);
  bring_up(index);
  Descriptor end(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  require(end.number() >= 0, "a socket for packets");
  const int on = 1;
  require(setsockopt(end.number(), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) == 0 &&
              setsockopt(end.number(), SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) == 0,
          "a socket's options");
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = index;
  require(bind(end.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
          "binding a socket to an interface");
  return end;
}

Descriptor this_namespace() {
  Descriptor open(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  require(open.number() >= 0, "/proc/self/ns/net");
  return open;
}

/// A namespace in which nobody but us sends: the system announces no addresses.
void enter_new_network() {
  require(unshare(CLONE_NEWNET) == 0, "a network namespace");
  for (const char* file : {"/proc/sys/net/ipv6/conf/all/disable_ipv6", "/proc/sys/net/ipv6/conf/default/disable_ipv6"})
    if (access(file, W_OK) == 0) write_file(file, "1");
}

VethPair make_pair(std::size_t largest) {
  require(unshare(CLONE_NEWUSER) == 0, "a user namespace");
  enter_new_network();
  const Descriptor inside = this_namespace();
  enter_new_network();
  add_pair(std::max(largest - std::min(largest, kHeader), kLeastMtu), inside);
  VethPair pair{.outside = packets_of(kOutside), .inside = Descriptor()};
  require(setns(inside.number(), CLONE_NEWNET) == 0, "the other network namespace");
  pair.inside = packets_of(kInside);
  return pair;
}

/// The child's message: what went wrong, and, where nothing did, its two sockets.
class Messenger {
 public:
  explicit Messenger(int end) : end_(end) {}

  void tell(const std::string& error, const std::array<int, 2>* sockets) {
    iovec text{.iov_base = const_cast<char*>(error.data()), .iov_len = error.size() + 1};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    if (sockets != nullptr) {
      message.msg_control = control_.data();
      message.msg_controllen = control_.size();
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(*sockets));
      std::memcpy(CMSG_DATA(header), sockets->data(), sizeof(*sockets));
    }
    sendmsg(end_, &message, MSG_NOSIGNAL);
  }
  /// Throws Error with what went wrong.
  VethPair hear() {
    std::array<char, 512> error{};
    iovec text{.iov_base = error.data(), .iov_len = error.size() - 1};
    msghdr message{};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = control_.data();
    message.msg_controllen = control_.size();
    const ssize_t size = recvmsg(end_, &message, MSG_CMSG_CLOEXEC);
    require(size >= 0, "the process that opens namespaces");
    const cmsghdr* header = size > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header == nullptr)
      throw Error(size > 0 ? error.data() : "the process that opens namespaces ended without a word");
    std::array<int, 2> sockets{};
    std::memcpy(sockets.data(), CMSG_DATA(header), sizeof(sockets));
    return {.outside = Descriptor(sockets[0]), .inside = Descriptor(sockets[1])};
  }

 private:
  int end_;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control_{};
};

[[noreturn]] void run_child(int end, std::size_t largest) {
  Messenger messenger(end);
  try {
    const VethPair pair = make_pair(largest);
    const std::array<int, 2> sockets{pair.outside.number(), pair.inside.number()};
    messenger.tell("", &sockets);
  } catch (const std::exception& error) {
    messenger.tell(error.what(), nullptr);
  }
  _exit(0);
}

}  // namespace

VethPair open_veth_pair(std::size_t largest) {
  std::array<int, 2> ends{};
  require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair of local sockets");
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  const pid_t child = fork();
  require(child >= 0, "a process that opens namespaces");
  if (child == 0) run_child(theirs.number(), largest);
  theirs = Descriptor();
  const auto wait = [child] {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  };
  try {
    VethPair pair = Messenger(ours.number()).hear();
    wait();
    return pair;
  } catch (const Error&) {
    wait();
    throw;
  }
}

}  // namespace isthmus::program
