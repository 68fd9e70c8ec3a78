#include "import/reader/one_file.h"

#include <algorithm>

#include "import/reader/rank_hint.h"

namespace opsight::importer {

RankId OneFile::begin_rank(ProfileBuilder& builder) const {
    Rank rank;
    rank.number = std::max<int64_t>(0, rank_hint(name));
    rank.source = name;
    return builder.begin_rank(rank);
}

void OneFile::tell_progress() const {
    if (context.progress) context.progress->set_done(context.disk_before + source.position());
}

void OneFile::note_damage(ProfileBuilder& builder) const {
    if (std::string damage = source.damage(); !damage.empty())
        builder.diagnostics().add(Diag::kTruncatedInput, {name, -1, -1, std::move(damage)});
}

}  // namespace opsight::importer
