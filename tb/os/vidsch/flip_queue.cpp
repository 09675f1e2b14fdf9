#include "tb/os/vidsch/flip_queue.h"

#include "tb/os/allocations/allocation.h"

namespace fenceline::os {

FlipQueue::FlipQueue(Cpu& cpu, Adapter& adapter, bool waits_for_drawing)
    : cpu_(cpu),
      adapter_(adapter),
      waits_for_drawing_(waits_for_drawing),
      lock_(cpu.simulation().steps, this),
      room_(cpu.simulation().steps) {}

std::uint64_t FlipQueue::state_hash() const {
  common::Hasher hasher;
  for (const Flip& flip : flips_)
    hasher.add(flip.primary)
        .add(flip.context->object)
        .add(flip.submitted << 5 | (flip.synced ? 16U : 0U) | (flip.again ? 8U : 0U) |
             (flip.giving ? 4U : 0U) | (flip.immediate ? 2U : 0U) | (flip.given ? 1U : 0U));
  return hasher.add(presents_).value();
}

void FlipQueue::present(ContextQueue& context, std::uint64_t primary, bool immediate, UINT limit) {
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    Flip flip;
    flip.number = ++presents_;
    flip.primary = primary;
    flip.context = &context;
    flip.submitted = context.submitted;
    flip.immediate = immediate;
    cpu_.simulation().emit(
        event::Present{adapter_.object(), flip.number, flip.primary, context.object});
    flips_.push_back(flip);
  }
  progress();
  wait_for_room(limit);
}

bool FlipQueue::busy() {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  return !flips_.empty();
}

void FlipQueue::wait_for_room(UINT limit) {
  for (;;) {
    {
      LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
      if (flips_.size() <= limit) return;
      room_.clear();
    }
    cpu_.block(room_, nullptr);
  }
}

/// The flip to give to the hardware now; false if there is none.
bool FlipQueue::take_next(Flip& next) {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  // Images of a device in error are not shown.
  while (!flips_.empty() && !flips_.front().given && flips_.front().context->stopped()) {
    flips_.pop_front();
    room_.set();
  }
  if (flips_.empty() || flips_.front().given) return false;
  Flip& flip = flips_.front();
  const bool drawn = flip.context->completed >= flip.submitted;
  // The buffer of a flip without MMIO is itself one of the buffers that must be complete.
  if (!drawn && (waits_for_drawing_ || !adapter_.flips_by_mmio())) return false;
  flip.given = true;
  flip.giving = adapter_.flips_by_mmio();
  next = flip;
  return true;
}

void FlipQueue::progress() {
  for (Flip next; take_next(next);) {
    cpu_.simulation().emit(
        event::FlipCall{adapter_.object(), next.number, next.primary, !adapter_.flips_by_mmio()});
    if (next.giving) give(next);
  }
}

void FlipQueue::show_again() {
  Flip first;
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (flips_.empty() || !flips_.front().given) return;
    Flip& flip = flips_.front();
    flip.again = flip.giving;
    if (flip.again) return;
    flip.giving = true;
    first = flip;
  }
  give(first);
  progress();
}

/// Calls the driver. Nobody else gives a flip meanwhile: this one stays the first.
void FlipQueue::give(const Flip& flip) {
  do {
    set_address(flip);
  } while (!gave());
}

/// The driver has returned. False if it must be called again.
bool FlipQueue::gave() {
  LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
  Flip& flip = flips_.front();
  if (flip.again) {
    flip.again = false;
    return false;
  }
  flip.giving = false;
  if (flip.synced) end_first();
  return true;
}

/// The first flip is on the screen. Needs the lock.
void FlipQueue::end_first() {
  cpu_.simulation().emit(
      event::FlipDone{adapter_.object(), flips_.front().number, flips_.front().primary});
  flips_.pop_front();
  room_.set();
}

void FlipQueue::set_address(const Flip& flip) {
  DXGKARG_SETVIDPNSOURCEADDRESS args{};
  args.PrimarySegment = kVramSegment;
  args.PrimaryAddress.QuadPart = static_cast<LONGLONG>(flip.primary);
  args.Flags.Value = flip.immediate ? DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipImmediate
                                    : DXGK_SETVIDPNSOURCEADDRESS_FLAGS::kFlipOnNextVSync;
  const NTSTATUS status =
      adapter_.call_at_device_level<Ddi::DxgkDdiSetVidPnSourceAddress>(adapter_.handle(), &args);
  adapter_.must_succeed(status, Ddi::DxgkDdiSetVidPnSourceAddress, VIDEO_SCHEDULER_INTERNAL_ERROR,
                        fenceline::wddm::kSchedulerSetVidPnFailed);
}

void FlipQueue::synced(std::uint64_t primary) {
  {
    LockScope lock(cpu_, lock_, DISPATCH_LEVEL);
    if (flips_.empty() || !flips_.front().given || flips_.front().primary != primary) return;
    // The image before may have the same address: then the register may not be written yet.
    if (flips_.front().giving) {
      flips_.front().synced = true;
      return;
    }
    end_first();
  }
  progress();
}

}  // namespace fenceline::os
