// Names of events where there is little room: without what most of their kind have in common.

const COMMON: readonly RegExp[] = [
  /^Iteration (?=\d)/,
  /^autograd::engine::evaluate_function: /,
  /^(?:[^\s]*\/)(?=[^/\s]+\.py\(\d+\))/, // folders of a Python file
  /^nn\.Module: /,
  /^(?:aten|c10d|cuda|torch)::/,
  /^void (?=[\w:])/,
];

export function shortened(name: string): string {
  for (const common of COMMON) {
    const rest = name.replace(common, "");
    if (rest !== name && rest !== "") return rest;
  }
  return name;
}
