/** TLS files that cannot be used. The message is for people: it names setting and file, and holds nothing of a key. */
export class TlsProblem extends Error {
  override readonly name = 'TlsProblem';
}
