// Which runs of a store a question is about.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/store/labels.h"
#include "fleet/store/store.h"

namespace opsight::fleet {

struct Choice {
    std::vector<std::string> runs;  // ids, at least 6 digits of them, or names; empty: any
    Labels labels;                  // all of them must hold
};

// Runs by ids or names, and labels as "NAME=VALUE".
Result<Choice> choice_of(std::vector<std::string> runs, const std::vector<std::string>& labels);
// Both kinds by their form: a label has an =.
Result<Choice> choice_of_words(const std::vector<std::string>& words);

struct KnownRun {
    std::string id, name;
    std::optional<int64_t> recorded_ns;
    std::map<std::string, std::string> labels;
    std::string labels_text() const;  // "model=gpt, team=vision"
};

// The runs that were chosen, those recorded first before others.
struct Chosen {
    std::vector<KnownRun> runs;
    bool all = false;                // every run of the store
    std::vector<std::string> notes;  // of the store: what it could not be asked
    const KnownRun* find(const std::string& id) const;
};

// Fails where a name fits no run, and where nothing is left of a store that has runs.
Result<Chosen> choose(Store& store, const Choice& choice);

// What a store said beside its answer, once.
void add_notes(std::vector<std::string>& to, const std::vector<std::string>& notes);

// Asks a file of sql/ about these runs: {{chosen}} stands for them, {{limit}} for at most so many rows (0:
// all).
Result<Answer> ask(Store& store, const duck::Statement& question, const Chosen& chosen, int64_t limit = 0);

}  // namespace opsight::fleet
