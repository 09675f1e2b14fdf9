#pragma once

#include <array>
#include <deque>
#include <string>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/simulation.h"
#include "models/pcie/config.h"
#include "models/pcie/ordering_table.h"
#include "models/pcie/wire.h"

namespace fenceline::pcie {

/// A PCIe link: two directions, each with a FIFO of posted writes and with non-posted requests that
/// stay behind them.
///
/// Only may_pass() decides which packet may overtake which. Posted writes that may overtake (RO=1)
/// have their own lane. Both lanes of a direction drain as agents named `<link>.up`,
/// `<link>.up_relaxed`, `<link>.down`, `<link>.down_relaxed`. A read waits for the posted writes
/// ahead of it and reaches the far end. Its completion waits for the posted writes ahead of it in
/// the other direction: the read flush. With the ordering switch pcie.completion_ordered off it
/// does not wait, as behind a bridge that breaks rule D2a.
///
/// With pcie.id_based_ordering packets of the device carry IDO=1 and are ordered only with packets
/// of the same function. Each function k above 0 has a lane `<link>.up_function<k>`. Registers and
/// memory of the device answer as function 0.
///
/// A posted write holds a header credit until it has arrived. If the link limits data credits, it
/// holds these too. A request that needs an answer holds a tag until its completion arrives; a read
/// holds one per piece of Max_Read_Request_Size. It is not sent before it has all its tags.
///
/// While exploring, packets of the device arrive at once if they all stay in one order. No agent
/// can detect this: the host learns about the device only through these packets. A packet in flight
/// and everything that the device does meanwhile might as well happen later.
///
/// LinkConfig::faults lose, duplicate or delay messages, or make packets be sent again. While
/// exploring, a repeated packet has no effect: it only takes time.
///
/// With pcie.interrupt at `intx` a message of the device is the assertion of a wire. It uses no
/// link bandwidth, and the agent `<link>.intx` delivers it independently of writes in flight.
/// Source: assumption A-26.
class Link : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_tagged<Link> SC_NAMED(from_host);
  tlm_utils::simple_initiator_socket<Link> SC_NAMED(to_device);
  tlm_utils::simple_target_socket_tagged<Link> SC_NAMED(from_device);
  tlm_utils::simple_initiator_socket<Link> SC_NAMED(to_host);

  /// @param agent_name prefix of the drains' names, e.g. "gpu0.pcie". @param functions number of
  /// functions of the device, at least 1. Requesters are below that.
  Link(const sc_core::sc_module_name& name, common::Simulation& simulation,
       const std::string& agent_name, const LinkConfig& config, std::uint32_t functions = 1);

  /// Number of posted writes in flight in both directions.
  std::size_t pending() const;
  /// A program reached a mark. Faults may wait for it.
  void reach(const std::string& mark);

 private:
  struct Posted {
    std::uint64_t address = 0;
    std::array<unsigned char, 64> data{};
    std::uint32_t bytes = 0;
    std::uint64_t number = 0;  ///< counts posted writes per direction
    Time ready = 0;            ///< [ps] arrival at the far end
    TlpOrder order;
    bool partial = false;
    std::uint64_t traffic_bytes = 0;
    std::uint64_t data_credits = 0;  ///< held until arrival
    std::uint32_t work = 0;          ///< queue of a work write
    std::uint64_t work_number = 0;
    common::SignalSource signal;
  };
  struct Lane {
    common::AgentId drain = 0;
    std::deque<Posted> writes;
  };
  /// An agent that waits behind all writes up to a number.
  struct Mark {
    common::AgentId agent;
    std::uint64_t number;
  };
  struct Fault {
    const LinkFault* what;
    common::Occurrence when;
  };
  class WaitBehind;
  class Tags;
  /// State of one direction.
  struct Direction : common::Hashed {
    Direction(common::Steps& steps, tlm_utils::simple_initiator_socket<Link>& far_end)
        : changed(steps), answered(steps), out(far_end) {}
    std::vector<Lane> ordered =
        std::vector<Lane>(1);  ///< one per requester with an order of its own
    Lane relaxed;
    Lane wire;  ///< INTx or late interrupts: unordered
    std::uint64_t issued = 0;
    std::uint64_t data_credits = 0;  ///< held by posted writes in flight
    std::uint64_t tags = 0;          ///< held by unanswered requests
    std::vector<Mark> marks;         ///< agents that wait behind earlier writes
    Time free_at = 0;
    Time last_begin = 0;       ///< [ps] the last packet entered the wire
    std::uint32_t object = 0;  ///< ObjectKind::kLink
    std::uint64_t place = 0;   ///< footprint place: sent packets
    common::Gate changed;
    common::Gate answered;  ///< opened when tags are free again
    std::vector<Fault> faults;
    tlm_utils::simple_initiator_socket<Link>& out;

    /// Calls `visit` for each write on the link, in order within each lane.
    template <typename Visit>
    void for_each(Visit&& visit) const {
      for (const Lane& lane : ordered)
        for (const Posted& posted : lane.writes) visit(posted);
      for (const Posted& posted : relaxed.writes) visit(posted);
    }
    std::size_t size() const;
    /// True if no write up to `last` blocks a packet with `order`.
    bool clear_for(const TlpOrder& order, std::uint64_t last) const;
    /// Number of writes up to `last` in flight.
    std::uint64_t ahead(std::uint64_t last) const;
    std::uint64_t state_hash() const override;
  };
  enum Way : int { kDown, kUp };

  void transport(int way, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void post(Direction& direction, tlm::tlm_generic_payload& payload);
  void send_message(Direction& direction, Lane& lane, Posted& posted);
  void queue(Direction& direction, Lane& lane, const Posted& posted);
  const LinkFault* fault(Direction& direction, bool message, Time begin);
  void read(Direction& request, Direction& completion, tlm::tlm_generic_payload& payload);
  void add_drain(Direction& direction, Lane& lane, const std::string& agent_name);
  void drain(Direction& direction, Lane& lane);
  void deliver(Direction& direction, const Posted& posted);
  bool arrives_at_once(const Direction& direction, const Lane& lane) const;
  /// The current agent waits until no write ahead of it blocks a packet with `order`.
  void wait_behind(Direction& direction, const TlpOrder& order);
  /// Occupies the wire for `held`. Returns the arrival time of the last bit.
  Time occupy(Direction& direction, Time held, event::TlpKind kind, std::uint64_t bytes);
  /// Ordering attributes of a packet from `requester`.
  TlpOrder order_of(TlpClass tlp_class, const Direction& direction, std::uint32_t requester) const;
  /// Data credits of a posted write of `bytes`; 0 if data is not limited.
  std::uint64_t data_credits(std::uint64_t bytes) const;
  /// True if the largest possible number of concurrent requests cannot run out of tags.
  bool tags_suffice() const;

  common::Simulation& simulation_;
  const LinkConfig config_;
  const Wire wire_;
  Direction down_;
  Direction up_;
};

}  // namespace fenceline::pcie
