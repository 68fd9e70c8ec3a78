// OneFile: a file that is read from front to back and holds what one rank recorded, or a part of that.
#pragma once

#include <string>

#include "import/reader/reader.h"

namespace opsight::importer {

struct OneFile {
    PeekedSource& source;
    std::string name;
    ReadContext context = {};

    // A rank of the number that the file's name suggests.
    RankId begin_rank(ProfileBuilder& builder) const;
    void tell_progress() const;
    // Where the source broke off, that it did.
    void note_damage(ProfileBuilder& builder) const;
};

// The `read` of a Reader. An error of `import` that names no file is of this one.
template <Result<ImportFacts> (*import)(const OneFile&, ProfileBuilder&)>
Result<ImportFacts> read_one(PeekedSource& source, const InputFile& file, const ReadContext& context,
                             ProfileBuilder& builder) {
    Result<ImportFacts> facts = import({source, file.path, context}, builder);
    if (!facts && facts.error().file.empty()) facts.error().file = file.path;
    return facts;
}

}  // namespace opsight::importer
