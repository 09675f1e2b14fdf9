#pragma once

#include "tb/report/record/names.h"
#include "tb/report/record/output.h"
#include "tb/report/record/recorder.h"

namespace fenceline::report {

/// Writes events.csv: `time_ps,event,agent,object,a,b,c`, one line an event, names instead of
/// numbers in the first columns, the raw fields a to c as decimal numbers. Fields are quoted as
/// RFC 4180 says where a name needs it.
void write_events_csv(const Recorder& recorder, const Names& names, Output& out);

}  // namespace fenceline::report
