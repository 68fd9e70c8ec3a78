// Style and script of the HTML report.
#pragma once

namespace opsight::report {

inline constexpr const char* kHtmlStyle = R"(
:root{color-scheme:light dark;--bg:#fff;--text:#1d2430;--soft:#5a6472;--line:#d9dee5;--head:#f3f5f8;--link:#0b5cad;
--s0:#2a8f4f;--s1:#2b6cb8;--s2:#8a4fbf;--s3:#c98a14;--s4:#c2472f;--s5:#8c6d4f;--s6:#5b6b7b;--s7:#c3c9d1;
--s8:#a3842a;--s9:#5d8f6b}
@media (prefers-color-scheme:dark){:root{--bg:#14181f;--text:#e4e8ee;--soft:#a0abb9;--line:#333c48;--head:#1d232c;
--link:#7ab8f5;--s0:#4cb474;--s1:#5a9be0;--s2:#b183e0;--s3:#e0ae4a;--s4:#e07a63;--s5:#b89a7c;--s6:#8fa0b2;--s7:#4a5462;
--s8:#cfae50;--s9:#7fb38f}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:110rem;padding:1rem 1.5rem 3rem;background:var(--bg);color:var(--text);
font:14px/1.45 system-ui,sans-serif}
h1{margin:.2rem 0;font-size:1.5rem}h2{margin:2rem 0 .5rem;font-size:1.2rem;border-bottom:1px solid var(--line)}
h3{margin:1rem 0 .3rem;font-size:1rem}.only{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
header p,.note,footer{margin:.1rem 0;color:var(--soft)}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:.7rem 0}a{color:var(--link)}footer{margin-top:2rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(19rem,1fr));gap:0 1.5rem;margin:0}
dl div{display:flex;justify-content:space-between;gap:1rem;border-bottom:1px solid var(--line);padding:.15rem 0}
dt{color:var(--soft)}dd{margin:0;text-align:right;overflow:hidden;text-overflow:ellipsis;font-variant-numeric:tabular-nums}
.shares{display:block;width:100%;height:1.6rem;margin:.8rem 0 .3rem}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:0;padding:0;list-style:none}
.key{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px}
.tools{display:flex;flex-wrap:wrap;gap:.3rem 1rem;align-items:center;margin:.2rem 0;color:var(--soft)}
input[type=search]{font:inherit;padding:.15rem .4rem;border:1px solid var(--line);border-radius:4px;
background:var(--bg);color:var(--text)}
.scroll{overflow:auto;max-height:32rem;border:1px solid var(--line);border-radius:4px}
table{border-collapse:collapse;width:100%}
th{position:sticky;top:0;background:var(--head);text-align:left;padding:0}
th button{all:unset;cursor:pointer;padding:.3rem .6rem;font-weight:600;white-space:nowrap}
th button:focus-visible{outline:2px solid var(--link);outline-offset:-2px}
th[aria-sort=ascending] button::after{content:" \25B2"}th[aria-sort=descending] button::after{content:" \25BC"}
td{padding:.2rem .6rem;border-top:1px solid var(--line);max-width:28rem;overflow:hidden;text-overflow:ellipsis;
white-space:nowrap}
.n{text-align:right;font-variant-numeric:tabular-nums}.table:not(.wide) .more{display:none}
.s0{fill:var(--s0);background:var(--s0)}.s1{fill:var(--s1);background:var(--s1)}
.s2{fill:var(--s2);background:var(--s2)}.s3{fill:var(--s3);background:var(--s3)}
.s4{fill:var(--s4);background:var(--s4)}.s5{fill:var(--s5);background:var(--s5)}
.s6{fill:var(--s6);background:var(--s6)}.s7{fill:var(--s7);background:var(--s7)}
.s8{fill:var(--s8);background:var(--s8)}.s9{fill:var(--s9);background:var(--s9)}
@media print{.tools{display:none}.scroll{max-height:none;border:0}}
)";

inline constexpr const char* kHtmlScript = R"(
for (const part of document.querySelectorAll(".table")) {
  const body = part.querySelector("tbody");
  if (!body) continue;
  const heads = [...part.querySelectorAll("th")];
  body.addEventListener("mouseover", (event) => {
    const cell = event.target.closest("td");
    if (cell && cell.dataset.v !== undefined) cell.title = cell.dataset.v;
  });
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const rows = [...body.rows];
    const numbers = rows.some((row) => row.cells[column].dataset.v !== undefined);
    const descending = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") === "ascending" : numbers;
    for (const each of heads) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const empty = (x) => x === "";
    rows.sort((a, b) => {
      const x = value(a, column), y = value(b, column);
      if (empty(x) || empty(y)) return empty(x) - empty(y);
      const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return descending ? -order : order;
    });
    body.append(...rows);
  }));
  part.querySelector("input[type=search]").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
  const wide = part.querySelector("input[type=checkbox]");
  if (wide) wide.addEventListener("change", () => part.classList.toggle("wide", wide.checked));
}
)";

}  // namespace opsight::report
