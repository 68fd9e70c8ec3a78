// Texts of the program, which its commands share with the page, as the page says them.

const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/; --[\w-]+ takes \w+ in$/, ""],
  [/'opsight report NAME --report detailed,ranges' lists them/g, "the views Ops and Ranges list them; “up to the end of an op or range” lets you pick one"],
  [/'opsight report NAME --report ranges' lists them/g, "the view Ranges lists them"],
  [/: --iteration-range '.*' makes an iteration of each$/, ": the view Iterations offers to take each as one"],
  [/Name one with --key-op or --iteration-range/g, "Choose what ends an iteration under Iterations"],
  [/of --iteration-range /g, "of a range's name "],
  [/(name one|name them) with --key-op or --iteration-range/gi, "choose what ends an iteration under Iterations"],
  [/--key-op and --iteration-range/g, "an op that ends iterations and a range's name"],
  [/the viewer was started with --read-only/g, "the viewer was started read-only"],
  [/; raise --buffer-mb or record less/g, "; record less, or with a larger buffer"],
  [/^report (\w+) cannot be sorted by/g, "this table cannot be sorted by"],
  [/^its columns are .*/g, "choose another column"],
  [/^the columns are .*/g, "choose another column"],
];

export function pageWords(text: string): string {
  return OPTIONS.reduce((now, [from, to]) => now.replace(from, to), text);
}

// A sentence begins with a capital; a name of a file or an op stays as it is.
export function sentence(text: string): string {
  const words = pageWords(text);
  return /^[a-z]+(?:'s)?(?:[ ,]|: )/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
}
