import { isUtf8 } from 'node:buffer';

/** A string of a text that is known to be JSON. */
const STRING = /"(?:[^"\\]|\\.)*"/g;

/**
 * The value of a JSON text in UTF-8 (RFC 8259) in which no object, at any depth, has a name twice: readers differ in
 * which of them counts. Undefined for every other text.
 */
export function parseUniqueJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  // Outside of strings a colon stands for each member that was written, and of a name written twice one is left.
  const written = text.replaceAll(STRING, '').split(':').length - 1;
  return countMembers(value) === written ? value : undefined;
}

/** Members of all objects in a value. Without recursion, so that no depth ends it. */
function countMembers(root: unknown): number {
  let members = 0;
  const open = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += inner.length;
    for (const each of inner) open.push(each);
  }
  return members;
}
