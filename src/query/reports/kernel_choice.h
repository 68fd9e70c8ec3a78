// Which kernels a table is about: the relation kernel_spans, with columns as in sel_device. A choice lasts
// until the next one.
#pragma once

#include <string>

#include "query/session/session.h"

namespace opsight::query {

Status choose_all_kernels(Session& session);
// Those that an instance of the op launched, itself or by what it calls.
Status choose_kernels_of_op(Session& session, int64_t op);
// Those in whose kernel or op the text is found, in the columns that a table of instances has; `places`: it
// has those for a page too. False, and nothing chosen, where a text of instances themselves may hold it as
// well.
Result<bool> choose_kernels_with(Session& session, const std::string& text, bool places);

}  // namespace opsight::query
