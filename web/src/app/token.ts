// The address that trades a token for the cookie and shows what is shown now. `given` is what the reader has of
// the server: its whole URL, or the token alone. null where that holds no token.
export function withToken(given: string, here: { origin: string; hash: string }): string | null {
  const text = given.trim();
  if (/^[0-9a-f]+$/i.test(text)) return `${here.origin}/?token=${text}${here.hash}`;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const token = url.searchParams.get("token");
  if (!/^https?:$/.test(url.protocol) || token === null || !/^[0-9a-f]+$/i.test(token)) return null;
  return `${url.origin}/?token=${token}${here.hash}`;
}
