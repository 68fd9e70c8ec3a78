// A store that says on standard error, once, what another could not be asked: so an answer that lacks
// something looks whole in no format.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/standard_output.h"
#include "fleet/store/store.h"

namespace opsight::cli {

class NotingStore : public fleet::Store {
  public:
    explicit NotingStore(std::unique_ptr<fleet::Store> of) : of_(std::move(of)) {}
    std::string name() const override { return of_->name(); }
    std::string write_folder() const override { return of_->write_folder(); }
    Result<bool> holds(const fleet::PushId& id) override { return of_->holds(id); }
    Result<std::unique_ptr<fleet::Push>> begin(const fleet::PushId& id) override { return of_->begin(id); }
    const fleet::Dialect& dialect() const override { return of_->dialect(); }
    Result<fleet::Answer> ask(const duck::Statement& question,
                              const std::optional<std::string>& run) override {
        return noted(of_->ask(question, run));
    }
    Result<fleet::Answer> free_sql(const std::string& sql, int64_t most) override {
        return noted(of_->free_sql(sql, most));
    }

    // What was said on standard error already.
    bool has_said(const std::string& note) const { return said_.count(note) > 0; }

  private:
    Result<fleet::Answer> noted(Result<fleet::Answer> answer) {
        if (answer)
            for (const std::string& note : answer->notes)
                if (said_.insert(note).second) print_note("note: " + note + "\n");
        return answer;
    }

    std::unique_ptr<fleet::Store> of_;
    std::set<std::string> said_;
};

}  // namespace opsight::cli
