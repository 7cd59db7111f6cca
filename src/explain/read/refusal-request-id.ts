/** The body of a refusal as Postern writes it, also inside the text of a HAR. */
const REFUSAL_BODY =
  /\\?"code\\?":\s*\\?"[A-Z_]+\\?",\s*\\?"message\\?":\s*\\?"[^"\\]*\\?",\s*\\?"requestId\\?":\s*\\?"([A-Za-z0-9._:-]{1,128})\\?"/g;
/** As `curl -v` shows an answer. */
const VERBOSE_HEADER = /^< x-request-id:[ \t]*([A-Za-z0-9._:-]{1,128})[ \t]*\r?$/gim;

/**
 * The `requestId` of the refusal that a text holds beside the request: its body, or the `x-request-id` that `curl -v`
 * shows. Null when it holds none, or several that differ.
 */
export function findRefusalRequestId(text: string): string | null {
  const found = [REFUSAL_BODY, VERBOSE_HEADER].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ([, id = '']) => id),
  );
  const [first, ...others] = new Set(found);
  return first === undefined || others.length > 0 ? null : first;
}
