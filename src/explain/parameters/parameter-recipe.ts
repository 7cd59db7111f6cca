import { createHash } from 'node:crypto';
import type { WithSecret } from '../secret-mistakes.ts';
import type { SentParameter } from './sent-parameters.ts';

/** Stands for the App Secret in a text that is one character a byte. */
export const SECRET_MARK = '\ue000';
/** What is shown in its place. */
export const SHOWN_SECRET = Buffer.from('[App Secret]');

/** A name and value as they enter the string to sign. */
export type Pair = readonly [name: string, value: string];

/** What is hashed: with the secret at its place, and without it. */
export interface Message {
  readonly whole: Buffer;
  readonly text: Buffer;
}

/** How a `sign` is made, in parts of which each can go wrong by itself. Text is one character a byte. */
export interface ParameterRecipe extends WithSecret {
  /** In the order on the wire, without `sign`. */
  readonly parameters: readonly SentParameter[];
  readonly spell: (parameter: SentParameter) => Pair;
  /** Null leaves them as they are on the wire. */
  readonly compare: ((left: Pair, right: Pair) => number) | null;
  readonly equals: string;
  readonly joiner: string;
  /** Puts the joined text and {@link SECRET_MARK} together. */
  readonly frame: (text: string) => string;
  readonly mac: (message: Message, secret: Buffer) => Buffer;
}

/** The text of a recipe, with {@link SECRET_MARK} where the secret goes. */
export function parameterTextOf(recipe: ParameterRecipe): string {
  const pairs = recipe.parameters.map(recipe.spell);
  if (recipe.compare !== null) pairs.sort(recipe.compare);
  return recipe.frame(pairs.map(([name, value]) => `${name}${recipe.equals}${value}`).join(recipe.joiner));
}

/** The signature that a recipe leads to. */
export function signOf(recipe: ParameterRecipe): Buffer {
  const text = parameterTextOf(recipe);
  const secret = recipe.secret.toString('latin1');
  const whole = Buffer.from(
    text.replaceAll(SECRET_MARK, () => secret),
    'latin1',
  );
  return recipe.mac({ whole, text: Buffer.from(text.replaceAll(SECRET_MARK, ''), 'latin1') }, recipe.secret);
}

/** A text with something to read in the place of the secret. */
export function shownText(text: string): Buffer {
  return Buffer.from(text.replaceAll(SECRET_MARK, SHOWN_SECRET.toString('latin1')), 'latin1');
}

/** Ascending order of bytes, equal names as on the wire. */
export function byName([left]: Pair, [right]: Pair): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A plain hash over text and secret, as a recipe's `mac`. */
export function hashWith(name: string): ParameterRecipe['mac'] {
  return ({ whole }) => createHash(name).update(whole).digest();
}
