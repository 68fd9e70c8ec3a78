// Names for the numbers that tables keep instead of words, so that no statement holds such a number:
//   device_kind('kernel'), host_kind('os_runtime'), copy_kind('HtoD'), tc_use('yes'), ...
//       the number of a name; an unknown name is an error where the statement is prepared or run
//   direction_name(v), tc_use_name(v), tc_evidence_name(v), copy_kind_name(v), memory_kind_name(v),
//   kernel_class_name(v), work_kind_name(v), work_limiter_name(v), precision_name(v), match_name(v),
//   model_source_name(v)
//       the name of a number
//   group_kind_name(v), match_state_name(v), cause_name(v)
//       the words for a number of comm_groups and collective_calls
//   percent_text(v)                "12.3%", "<0.1%": as percent_digits (base/percent.h) has it
//   name_stem(v)                   a name with # for each number in it: names alike but for numbers have one
//   shown_shapes(shapes, for_people)  input shapes as a report has them
//   searched_direction(v), searched_shapes(v)  what a search looks at
//   memory_place(v)                of PyTorch's number of a kind of device: CPU, GPU, other
//   has_flag(flags, 'unfinished')  of spans
//   is_transfer(kind)              copies and sets
//   range_label(text)              of an NVTX range: its text, of a hook around a module that module
//   names_serving_step(text)       that it may name a step of a server (model/marks/serving_step.h)
//   is_pseudo_op(type)             that work is of no op, but of a call outside of ops, or a range
//   is_wait_call(name)             of the API, for a device (model/api_calls.h)
//   is_believed(memory_ns, bound_ns)  of raw.works: that its recorded times are those of the work
//   is_work(kind)                  kernels, copies and sets
//   is_busy(kind)                  work, and graphs that were recorded as a whole
// They are temporary macros of DuckDB, of one connection.
#pragma once

#include <string>

#include "base/duckdb.h"

namespace opsight::db {

Status define_names(duck::Connection& connection);

}  // namespace opsight::db
