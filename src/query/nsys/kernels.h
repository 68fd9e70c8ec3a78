// What the reports on kernels share.
#pragma once

#include "query/nsys/stats.h"

namespace opsight::query::nsys {

// The statement with the form of kernels' names that the arguments ask for as $kernel_name, after the macros
// are made that it may read: kernel_texts(form) and named_kernels(form), whose names begin with the innermost
// range at the launch where the arguments want that.
Result<duck::Statement> over_kernels(Source& source, const Arguments& arguments, const duck::Sql& rows);

}  // namespace opsight::query::nsys
