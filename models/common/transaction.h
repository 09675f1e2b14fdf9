#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <tlm>
#include <vector>

#include "models/common/events.h"
#include "models/common/ordering.h"
#include "models/common/steps/kernel_time.h"
#include "models/common/steps/operations.h"
#include "models/common/steps/time.h"

namespace fenceline::common {

/// Request to the fabric in addition to the data transfer.
enum class Barrier : std::uint8_t {
  kNone,
  kSelf,        ///< the client's own posted writes have reached memory
  kDrain,       ///< the same for all engines
  kSync,        ///< also, no engine is inside a window that was opened before
  kLogs,        ///< log writes of the queue `log_queue` have reached host memory
  kOpenWindow,  ///< the client has read MonitoredValue and has not written CurrentValue yet
  kCloseWindow
};

/// Request of a CPU to the caches for an address range.
enum class CacheMaintenance : std::uint8_t {
  kNone,
  kClean,       ///< write dirty lines to memory and keep them
  kInvalidate,  ///< write dirty lines to memory and drop all lines
  kForget       ///< the same, and the range is unmapped: no speculative reads any more
};

/// Signal whose value a write carries. For instrumentation only.
struct SignalSource {
  std::uint64_t number = 0;  ///< see event::SignalBegin; 0: another store
  std::uint32_t queue = 0;   ///< object; unlike the number, part of the compared state
};

/// Attributes of every transaction.
struct Attributes : tlm::tlm_extension<Attributes> {
  std::uint32_t address_space = 0;         ///< VMID, for the MMU; kPhysical skips it
  Operation operation = Operation::kIdle;  ///< step taken where the access happens; kIdle: private
  event::Reader reader = event::Reader::kOther;  ///< reader of a CurrentValue
  bool posted = false;            ///< a write that may be acknowledged before it is visible
  bool relaxed = false;           ///< RO=1 on PCIe
  std::uint32_t requester = 0;    ///< PCIe function of the sender
  bool partial = false;           ///< not the last piece of a value
  std::uint32_t log_queue = 0;    ///< queue slot + 1 of a fence-log write
  std::uint32_t work = 0;         ///< queue of this work write; for instrumentation only
  std::uint64_t work_number = 0;  ///< number of the work write in its queue
  SignalSource signal;
  std::uint32_t arrival =
      0;  ///< fence slot + 1: an empty write that reports when it leaves its FIFO
  std::uint64_t traffic_bytes = 0;  ///< traffic without data: only time counts
  std::uint64_t at_least = 0;   ///< exploring: a poll is answered when the counter has this value
  std::uint32_t core = 0;       ///< core number + 1 of a CPU access
  bool write_back = false;      ///< through a mapping with write-back caching, coherent or not
  bool write_combined = false;  ///< through a mapping with write combining
  bool no_snoop = false;        ///< NS=1 on PCIe: bypasses the caches of the host
  CacheMaintenance maintenance = CacheMaintenance::kNone;  ///< of a CPU's TLM_IGNORE_COMMAND
  /// An early load does not see this store or later ones: see StoreHistory.
  std::uint64_t seen_before = ~std::uint64_t{0};
  Barrier barrier = Barrier::kNone;
  BarrierReach reach = BarrierReach::kGpu;

  tlm::tlm_extension_base* clone() const override { return new Attributes(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const Attributes&>(other);
  }
};
/// Address space of accesses with GPU physical addresses.
constexpr std::uint32_t kPhysical = 0xFFFFFFFF;

/// A payload with its attributes. It comes from a pool, because payloads are expensive to
/// construct.
struct Transaction {
  tlm::tlm_generic_payload payload;
  Attributes attributes;

  Transaction() { payload.set_extension(&attributes); }
  ~Transaction() { payload.clear_extension(&attributes); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
};

/// Attributes of a payload that belongs to a Transaction.
inline Attributes& attributes_of(tlm::tlm_generic_payload& payload) {
  Attributes* attributes = nullptr;
  payload.get_extension(attributes);
  return *attributes;
}

/// Number of bytes that an access moves: data or traffic without data.
inline std::uint64_t length_of(tlm::tlm_generic_payload& payload) {
  const std::uint64_t traffic = attributes_of(payload).traffic_bytes;
  return traffic != 0 ? traffic : payload.get_data_length();
}

/// Lends transactions.
class TransactionPool {
 public:
  /// Gives the transaction back when it goes out of scope.
  class Loan {
   public:
    Loan(TransactionPool& pool, Transaction& transaction)
        : pool_(pool), transaction_(transaction) {}
    ~Loan() { pool_.free_.push_back(&transaction_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Transaction* operator->() { return &transaction_; }

   private:
    TransactionPool& pool_;
    Transaction& transaction_;
  };

  /// A transaction prepared for one access. `data` must stay until the access ends.
  Loan lend(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
    return {*this, take(command, address, data, bytes)};
  }
  /// An access whose content does not matter: only its time and traffic count. @param bytes not 0.
  Loan lend_traffic(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes,
                    std::uint32_t address_space) {
    Transaction& traffic = take(command, address, &nothing_, sizeof nothing_);
    traffic.attributes.traffic_bytes = bytes;
    traffic.attributes.address_space = address_space;
    return {*this, traffic};
  }

 private:
  Transaction& take(tlm::tlm_command command, std::uint64_t address, void* data,
                    std::size_t bytes) {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Transaction>());
      free_.push_back(all_.back().get());
    }
    Transaction& transaction = *free_.back();
    free_.pop_back();
    transaction.payload.set_command(command);
    transaction.payload.set_address(address);
    transaction.payload.set_data_ptr(static_cast<unsigned char*>(data));
    transaction.payload.set_data_length(static_cast<unsigned>(bytes));
    transaction.payload.set_streaming_width(static_cast<unsigned>(bytes));
    transaction.payload.set_byte_enable_ptr(nullptr);
    transaction.payload.set_dmi_allowed(false);
    transaction.payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    Attributes& attributes = transaction.attributes;
    attributes.address_space = kPhysical;
    attributes.operation = Operation::kIdle;
    attributes.reader = event::Reader::kOther;
    attributes.posted = attributes.relaxed = attributes.partial = false;
    attributes.log_queue = attributes.arrival = attributes.work = attributes.requester = 0;
    attributes.work_number = 0;
    attributes.signal = {};
    attributes.traffic_bytes = attributes.at_least = 0;
    attributes.core = 0;
    attributes.write_back = attributes.write_combined = attributes.no_snoop = false;
    attributes.maintenance = CacheMaintenance::kNone;
    attributes.seen_before = ~std::uint64_t{0};
    attributes.barrier = Barrier::kNone;
    attributes.reach = BarrierReach::kGpu;
    return transaction;
  }

  std::uint64_t nothing_ = 0;
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
};

/// Sends a transaction and elapses the returned delay for the current agent. @param before time
/// that the agent already owes. @param after time that it needs to handle the answer.
template <typename Steps, typename Socket>
tlm::tlm_response_status send(Steps& steps, Socket&& socket, TransactionPool::Loan& transaction,
                              Time before = 0, Time after = 0) {
  sc_core::sc_time delay = kernel_time(before);
  socket->b_transport(transaction->payload, delay);
  steps.elapse(delay.value() + after);
  return transaction->payload.get_response_status();
}

/// Hands a transaction over; the returned delay counts for nobody.
template <typename Socket>
void deliver(Socket&& socket, tlm::tlm_generic_payload& payload) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
}

}  // namespace fenceline::common
