// What a file is that no reader takes: other profilers' tables, archives, pages of failed downloads, ...
#pragma once

#include <string>

#include "import/reader/reader.h"

namespace opsight::importer {

struct Unread {
    std::string what;      // "is an HTML page, not a trace"
    std::string remedy;    // empty: to give what Opsight reads
    bool certain = false;  // so that a reader to which the file is merely possible does not get it
};

Unread unread_kind(const Head& head);

// A binary file that something took for text, which a reader would call damaged anywhere: certain, else
// empty.
Unread spoilt_kind(const Head& head);

}  // namespace opsight::importer
