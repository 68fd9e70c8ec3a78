// Inflates a gzip stream of any number of members, with ISA-L (4 to 7 GB/s of output on one core).
// A stream that is cut or damaged ends where it breaks: what came before is delivered, damage() says why.
#pragma once

#include "base/byte_source.h"

namespace opsight {

bool looks_like_gzip(std::string_view first_bytes);
std::unique_ptr<ByteSource> gunzip(std::unique_ptr<ByteSource> compressed);

}  // namespace opsight
