// What of a text fits: its middle gives way, for the begin tells the family of a name, the end what tells it apart.
export function fittedText(text: string, room: number, width: (text: string) => number): string {
  const whole = width(text);
  if (whole <= room) return text;
  let kept = Math.floor((text.length * (room - 8)) / whole);
  const cut = (): string => {
    const tail = Math.floor(kept / 3);
    return `${text.slice(0, kept - tail)}…${text.slice(text.length - tail)}`;
  };
  // Letters differ in width: the estimate may be a few too many.
  while (kept > 2 && width(cut()) > room) kept -= 1;
  return kept < 2 ? "" : cut();
}
