// Puts a freshly read Profile into its final order: times from the first span on, spans sorted by
// (track, begin, -dur, source order). Near-linear for sources that write each track mostly in order.
#pragma once

#include "model/profile.h"

namespace opsight {

void order_profile(Profile& profile);

}  // namespace opsight
