// Advice for a terminal, for a pull request, as a page and as JSON. docs/ADVICE.md is made of the same rules.
#pragma once

#include <string>

#include "advise/advise.h"
#include "base/json_writer.h"

namespace opsight::report {

std::string render_advice(const advise::Advice& advice, int width);
// The first findings, as a summary ends with them; `run`: what to call the profile in the command that tells
// more.
std::string render_advice_in_short(const advise::Advice& advice, const std::string& run, int width);
// A section of a page of reports.
std::string render_advice_section(const advise::Advice& advice);
std::string render_advice_markdown(const advise::Advice& advice);
std::string render_advice_html(const advise::Advice& advice, const std::string& title,
                               const std::string& writer);
// The fields of one object each.
void put_advice(JsonWriter& json, const advise::Advice& advice);
void put_finding(JsonWriter& json, const advise::Finding& finding);

// What a rule is, for `--explain`, and as a section of docs/ADVICE.md.
std::string render_rule(const advise::Rule& rule, int width);
std::string render_rules_markdown();

}  // namespace opsight::report
