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

/// A PCIe link: two directions, each with a FIFO of posted writes and with non-posted reads that
/// stay behind them.
///
/// Which packet may overtake which is may_pass() alone. Posted writes that may overtake (RO=1)
/// take a lane of their own; both lanes of a direction drain as agents named
/// `<link>.up`, `<link>.up_relaxed`, `<link>.down`, `<link>.down_relaxed`. A read waits for the
/// posted writes ahead of it, reaches the far end, and its completion waits for the posted writes
/// ahead of it in the other direction: the read flush. With the ordering switch
/// pcie.completion_ordered off it does not, as behind a bridge that breaks rule D2a.
///
/// With pcie.id_based_ordering what the device sends carries IDO=1, and is in order only with
/// packets of the same function: each function k above 0 has a lane `<link>.up_function<k>`, and
/// registers and memory of the device answer as function 0.
///
/// A posted write holds a header credit, and data credits where the link limits them, until it has
/// arrived. A request that is answered holds a tag until its completion has come, a read one for
/// each piece of Max_Read_Request_Size; it is not sent before it has them.
///
/// While exploring, what the device sends is at the far end at once where it all stays in one
/// order, since nobody can tell: all that the host ever learns of the device comes that way, so
/// that a packet under way and everything that the device does meanwhile might as well come later.
///
/// LinkConfig::faults lose, double or delay messages, or have packets sent again. While exploring a
/// packet that is sent again makes no difference: it takes time only.
///
/// With pcie.interrupt at `intx` a message of the device is the assertion of a wire: it takes no
/// room on the link, and the agent `<link>.intx` delivers it whatever writes are on their way.
/// Source: assumption A-26.
class Link : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket_tagged<Link> SC_NAMED(from_host);
  tlm_utils::simple_initiator_socket<Link> SC_NAMED(to_device);
  tlm_utils::simple_target_socket_tagged<Link> SC_NAMED(from_device);
  tlm_utils::simple_initiator_socket<Link> SC_NAMED(to_host);

  /// @param agent_name prefix of the drains' names, e.g. "gpu0.pcie".
  /// @param functions of the device, at least 1: requesters are below that.
  Link(const sc_core::sc_module_name& name, common::Simulation& simulation,
       const std::string& agent_name, const LinkConfig& config, std::uint32_t functions = 1);

  /// Posted writes on their way in both directions.
  std::size_t pending() const;
  /// A program has reached a mark: faults may wait for that.
  void reach(const std::string& mark);

 private:
  struct Posted {
    std::uint64_t address = 0;
    std::array<unsigned char, 64> data{};
    std::uint32_t bytes = 0;
    std::uint64_t number = 0;  ///< counts the posted writes of the direction
    Time ready = 0;            ///< [ps] arrival at the far end
    TlpOrder order;
    bool partial = false;
    std::uint64_t traffic_bytes = 0;
    std::uint64_t data_credits = 0;  ///< held until it has arrived
    std::uint32_t work = 0;          ///< queue whose work write this is
    std::uint64_t work_number = 0;
  };
  struct Lane {
    common::AgentId drain = 0;
    std::deque<Posted> writes;
  };
  /// An agent that waits behind the writes up to a number.
  struct Mark {
    common::AgentId agent;
    std::uint64_t number;
  };
  struct Fault {
    const LinkFault* what;
    common::Occurrence when;
  };
  class Behind;
  class Tags;
  /// Everything that travels one way.
  struct Direction : common::Hashed {
    Direction(common::Steps& steps, tlm_utils::simple_initiator_socket<Link>& far_end)
        : changed(steps), answered(steps), out(far_end) {}
    std::vector<Lane> ordered =
        std::vector<Lane>(1);  ///< one for each requester that has an order of its own
    Lane relaxed;
    Lane wire;  ///< interrupts beside the link, or late: in order with nothing
    std::uint64_t issued = 0;
    std::uint64_t data_credits = 0;  ///< taken by posted writes on their way
    std::uint64_t tags = 0;          ///< taken by requests that are not answered yet
    std::vector<Mark> marks;         ///< of those who wait behind earlier writes
    Time free_at = 0;
    std::uint32_t object = 0;  ///< ObjectKind::kLink
    std::uint64_t place = 0;   ///< for footprints: what has been sent
    common::Gate changed;
    common::Gate answered;  ///< tags have come back
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
    /// Nothing numbered up to `last` is left that `order` may not pass.
    bool clear_for(const TlpOrder& order, std::uint64_t last) const;
    /// Writes numbered up to `last` that are on their way.
    std::uint64_t ahead(std::uint64_t last) const;
    std::uint64_t state_hash() const override;
  };
  enum Way : int { kDown, kUp };

  void transport(int way, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void post(Direction& direction, tlm::tlm_generic_payload& payload);
  void send_message(Direction& direction, Lane& lane, Posted& posted);
  void queue(Direction& direction, Lane& lane, const Posted& posted);
  const LinkFault* fault(Direction& direction, bool message);
  void read(Direction& request, Direction& completion, tlm::tlm_generic_payload& payload);
  void add_drain(Direction& direction, Lane& lane, const std::string& agent_name);
  void drain(Direction& direction, Lane& lane);
  void deliver(Direction& direction, const Posted& posted);
  bool arrives_at_once(const Direction& direction, const Lane& lane) const;
  /// The current agent waits until nothing is left ahead of it that `order` may not pass.
  void wait_behind(Direction& direction, const TlpOrder& order);
  /// Occupies the wire for `held`; returns when the last bit has arrived.
  Time occupy(Direction& direction, Time held, common::TlpKind kind, std::uint64_t bytes);
  /// What ordering looks at in a packet that `requester` sends.
  TlpOrder order_of(TlpClass tlp_class, const Direction& direction, std::uint32_t requester) const;
  /// Credits that a posted write of `bytes` takes; 0 where data is not limited.
  std::uint64_t data_credits(std::uint64_t bytes) const;
  /// As many requests as there could be at once cannot run out of tags.
  bool tags_suffice() const;

  common::Simulation& simulation_;
  const LinkConfig config_;
  const Wire wire_;
  Direction down_;
  Direction up_;
};

}  // namespace fenceline::pcie
