#pragma once

// All WDDM declarations.

#include "kmd_stub/wddm/adapter_caps.h"
#include "kmd_stub/wddm/allocation.h"
#include "kmd_stub/wddm/base.h"
#include "kmd_stub/wddm/bug_check.h"
#include "kmd_stub/wddm/cpu_event.h"
#include "kmd_stub/wddm/d3dkmt.h"
#include "kmd_stub/wddm/d3dkmt_adapter.h"
#include "kmd_stub/wddm/d3dkmt_memory.h"
#include "kmd_stub/wddm/d3dkmt_sync.h"
#include "kmd_stub/wddm/doorbell.h"
#include "kmd_stub/wddm/driver.h"
#include "kmd_stub/wddm/dxgkrnl_interface.h"
#include "kmd_stub/wddm/feature.h"
#include "kmd_stub/wddm/hw_queue.h"
#include "kmd_stub/wddm/interrupt.h"
#include "kmd_stub/wddm/memory.h"
#include "kmd_stub/wddm/native_fence.h"
#include "kmd_stub/wddm/native_fence_log.h"
#include "kmd_stub/wddm/paging.h"
#include "kmd_stub/wddm/submission.h"
