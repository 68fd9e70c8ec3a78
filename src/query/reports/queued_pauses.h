// Pauses of all devices of a rank before work that the host had launched by then: going from one piece of
// work to the next takes the device some microseconds, and nothing that the host does is late.
#pragma once

#include <memory>

#include "query/reports/time_spans.h"
#include "query/session/session.h"

namespace opsight::query {

// Within the wall clock of the range and between its stretches. Asked once of a session. Cost: a scan of the
// busy segments, and one of the device work.
Result<std::shared_ptr<const TimeSpans>> queued_pauses(Session& session);

}  // namespace opsight::query
