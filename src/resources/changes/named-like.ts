/** What a search by {@link isNamedLike} looks at. */
interface Named {
  readonly id: string;
  readonly name?: unknown;
}

/** Whether the id of a resource begins with a text, or its name holds it, in upper or lower case. */
export function isNamedLike({ id, name }: Named, text: string): boolean {
  const wanted = text.toLowerCase();
  return id.startsWith(wanted) || (typeof name === 'string' && name.toLowerCase().includes(wanted));
}

/** A text as part of a regular expression of MongoDB (PCRE), where it stands for itself. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&');
}
