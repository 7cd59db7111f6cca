import { createHmac } from 'node:crypto';
import { REQUEST_LINE } from '../../methods/hmac/signed-headers.ts';
import type { WithSecret } from '../secret-mistakes.ts';

/** Makes a signature of a text with a key. */
export type MacFunction = (text: Buffer, key: Buffer) => Buffer;

/** How an hmac signature is made, in parts of which each can go wrong by itself. Text is one character a byte. */
export interface HmacRecipe extends WithSecret {
  /** The signed names in order, in lower case, `request-line` among them. */
  readonly names: readonly string[];
  /** The values of headers, by lower-case name. A listed name without a value gives no line. */
  readonly values: ReadonlyMap<string, string>;
  readonly method: string;
  readonly target: string;
  /** `''` leaves the version out. */
  readonly version: string;
  /** What stands before the request line, rightly nothing. */
  readonly requestLineLabel: string;
  readonly spellName: (name: string) => string;
  /** Between name and value. */
  readonly colon: string;
  readonly lineBreak: string;
  readonly ending: string;
  /** What the text is made into before it is signed, rightly itself. */
  readonly encodeText: (text: Buffer) => Buffer;
  readonly mac: MacFunction;
}

/** What is signed by a recipe, before `encodeText`. */
export function hmacTextOf(recipe: HmacRecipe): Buffer {
  const lines: string[] = [];
  for (const name of recipe.names) {
    if (name === REQUEST_LINE) {
      const parts = [recipe.method, recipe.target, recipe.version].filter((part) => part !== '');
      lines.push(recipe.requestLineLabel + parts.join(' '));
      continue;
    }
    const value = recipe.values.get(name);
    if (value !== undefined) lines.push(`${recipe.spellName(name)}${recipe.colon}${value}`);
  }
  return Buffer.from(lines.join(recipe.lineBreak) + recipe.ending, 'latin1');
}

/** The HMAC with a hash, as a recipe's `mac`. */
export function hmacWith(hash: string): MacFunction {
  return (text, key) => createHmac(hash, key).update(text).digest();
}
