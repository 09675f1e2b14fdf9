#pragma once

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/recorder.h"

namespace fenceline::report {

/// Writes waves.vcd (IEEE 1364, timescale 1 ps) from the events alone:
///   queues.<queue>.state [7:0]                event::QueueStateKind
///   queues.<queue>.opcode [7:0]               of the packet that runs; x when none does
///   fences.<fence>.current_value [63:0]
///   fences.<fence>.<adapter>_monitored [63:0] and <adapter>_shadow [63:0]; without "<adapter>_"
///   where
///                                             there is one adapter
///   cores.<core>.c_state [7:0]                0 is C0
///   adapters.<adapter>.interrupt_pending      from the CMP's request until all is acknowledged
///   adapters.<adapter>.msi                    an event for each MSI-X write
void write_vcd(const Recorder& recorder, const Names& names, Output& out);

}  // namespace fenceline::report
