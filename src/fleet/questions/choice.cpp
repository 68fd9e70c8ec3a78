#include "fleet/questions/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/questions/cells.h"
#include "fleet/questions/sql.h"

namespace opsight::fleet {
namespace {

constexpr size_t kLeastDigits = 6;
constexpr size_t kMostChosen = 5000;  // an engine's text of a statement has bounds

Result<std::vector<KnownRun>> known_runs(Store& store, std::vector<std::string>& notes) {
    OPSIGHT_ASSIGN(const Answer runs, store.ask(questions::sql::all_runs, {}));
    OPSIGHT_ASSIGN(const Answer labels, store.ask(questions::sql::all_labels, {}));
    add_notes(notes, runs.notes);
    add_notes(notes, labels.notes);
    std::vector<KnownRun> all;
    std::map<std::string, size_t> places;
    for (const auto& row : runs.rows.rows) {
        KnownRun run{text(row[0]), text(row[1]), integer(row[2]), {}};
        places[run.id] = all.size();
        all.push_back(std::move(run));
    }
    for (const auto& row : labels.rows.rows)
        if (const auto place = places.find(text(row[0])); place != places.end())
            all[place->second].labels[text(row[1])] = text(row[2]);
    return all;
}

bool fits(const KnownRun& run, const std::string& wanted) {
    return run.name == wanted || (wanted.size() >= kLeastDigits && run.id.starts_with(wanted));
}

bool has_labels(const KnownRun& run, const Choice& choice) {
    return std::all_of(choice.labels.begin(), choice.labels.end(), [&run](const auto& label) {
        const auto found = run.labels.find(label.first);
        return found != run.labels.end() && found->second == label.second;
    });
}

// What {{chosen}} stands for. Ids are hexadecimal, as the store has checked.
Result<std::string> condition(const Chosen& chosen, const Dialect& dialect) {
    if (chosen.all) return "1 = 1";
    if (chosen.runs.size() > kMostChosen)
        return fail(fmt::format("{} runs were chosen, and a question takes at most {} of many",
                                chosen.runs.size(), kMostChosen),
                    {}, {}, "choose by another label as well, or ask of all runs");
    if (chosen.runs.empty()) return "1 = 0";
    std::string list;
    for (const KnownRun& run : chosen.runs)
        list += (list.empty() ? "" : ", ") + dialect.literal(run.id);
    return "run IN (" + list + ")";
}

void replace_all(std::string& in, std::string_view what, const std::string& with) {
    for (size_t at = in.find(what); at != std::string::npos; at = in.find(what, at + with.size()))
        in.replace(at, what.size(), with);
}

}  // namespace

Result<Choice> choice_of(std::vector<std::string> runs, const std::vector<std::string>& labels) {
    Choice choice;
    choice.runs = std::move(runs);
    OPSIGHT_ASSIGN(choice.labels, parse_labels(labels));
    return choice;
}

Result<Choice> choice_of_words(const std::vector<std::string>& words) {
    std::vector<std::string> runs, labels;
    for (const std::string& word : words)
        (word.find('=') == std::string::npos ? runs : labels).push_back(word);
    return choice_of(std::move(runs), labels);
}

std::string KnownRun::labels_text() const {
    std::string all;
    for (const auto& [label, value] : labels)
        all += fmt::format("{}{}={}", all.empty() ? "" : ", ", label, value);
    return all;
}

const KnownRun* Chosen::find(const std::string& id) const {
    const auto found =
        std::find_if(runs.begin(), runs.end(), [&id](const KnownRun& run) { return run.id == id; });
    return found == runs.end() ? nullptr : &*found;
}

Result<Chosen> choose(Store& store, const Choice& choice) {
    Chosen chosen;
    OPSIGHT_ASSIGN(std::vector<KnownRun> all, known_runs(store, chosen.notes));
    // A run may be where nobody answers.
    std::string unknown;
    for (const std::string& note : chosen.notes)
        unknown += " " + note;
    if (!unknown.empty()) unknown = "." + unknown;
    if (choice.runs.empty() && choice.labels.empty()) {
        chosen.runs = std::move(all);
        chosen.all = true;
        return chosen;
    }
    for (const std::string& wanted : choice.runs)
        if (std::none_of(all.begin(), all.end(),
                         [&wanted](const KnownRun& run) { return fits(run, wanted); }))
            return fail(
                Error{fmt::format("there is no run '{}'{}", wanted, unknown),
                      store.name(),
                      {},
                      fmt::format("give a name or at least {} digits of an id; 'opsight fleet list {}' shows "
                                  "them",
                                  kLeastDigits, store.name()),
                      1,
                      ErrorCode::kNotFound});
    for (KnownRun& run : all) {
        const bool wanted =
            choice.runs.empty() || std::any_of(choice.runs.begin(), choice.runs.end(),
                                               [&run](const std::string& each) { return fits(run, each); });
        if (wanted && has_labels(run, choice)) chosen.runs.push_back(std::move(run));
    }
    if (chosen.runs.empty() && !all.empty())
        return fail(Error{"no run has all of these labels" + unknown,
                          store.name(),
                          {},
                          "'opsight fleet list " + store.name() + "' shows the labels of all runs",
                          1,
                          ErrorCode::kNotFound});
    return chosen;
}

void add_notes(std::vector<std::string>& to, const std::vector<std::string>& notes) {
    for (const std::string& note : notes)
        if (std::find(to.begin(), to.end(), note) == to.end()) to.push_back(note);
}

Result<Answer> ask(Store& store, const duck::Statement& question, const Chosen& chosen, int64_t limit) {
    OPSIGHT_ASSIGN(const std::string runs, condition(chosen, store.dialect()));
    duck::Statement asked = question;
    replace_all(asked.text, "{{chosen}}", runs);
    replace_all(asked.text, "{{limit}}", limit > 0 ? fmt::format("LIMIT {}", limit) : std::string());
    std::optional<std::string> only;
    if (!chosen.all && chosen.runs.size() == 1) only = chosen.runs.front().id;
    return store.ask(asked, only);
}

}  // namespace opsight::fleet
