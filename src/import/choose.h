// Which reader gets a file.
#pragma once

#include "import/reader/reader.h"

namespace opsight::importer {

// An error says what the file is instead, or which two readers claim it (is_conflict).
struct Choice {
    const Reader* reader = nullptr;
    Error refusal;             // where there is no reader
    bool is_conflict = false;  // two claim the file alike
};
Choice choose_reader(const Head& head, Readers readers);

}  // namespace opsight::importer
