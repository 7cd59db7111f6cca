import { isDeepStrictEqual } from 'node:util';
import { equal } from '../../../base/text/equal.ts';
import { type Finding, type Hypothesis, type Mistake, mistakeOf } from './explainer.ts';

/** A way in which the signature may have been made. */
interface Candidate<R> {
  readonly recipe: R;
  readonly mistakes: readonly Mistake[];
}

/** The right recipe, then each single mistake, then pairs of them: so a mistake is named only when it is needed. */
function* candidatesOf<R extends object>(base: R, hypotheses: readonly Hypothesis<R>[]): Generator<Candidate<R>> {
  yield { recipe: base, mistakes: [] };
  for (const hypothesis of hypotheses) {
    for (const recipe of variantsOf(hypothesis, base)) yield { recipe, mistakes: [hypothesis] };
  }
  const paired = hypotheses.filter(({ isAlone }) => isAlone !== true);
  for (const [index, first] of paired.entries()) {
    for (const recipe of variantsOf(first, base)) {
      for (const second of paired.slice(index + 1)) {
        for (const both of variantsOf(second, recipe)) yield { recipe: both, mistakes: [first, second] };
      }
    }
  }
}

function variantsOf<R extends object>({ vary }: Hypothesis<R>, recipe: R): readonly R[] {
  return vary(recipe)
    .filter((change) => isChanged(recipe, change))
    .map((change) => ({ ...recipe, ...change }));
}

/** Only what a change names is compared: there are tens of thousands of recipes, each with values of any size. */
function isChanged<R extends object>(recipe: R, change: Partial<R>): boolean {
  return (Object.keys(change) as (keyof R)[]).some((part) => !isDeepStrictEqual(change[part], recipe[part]));
}

const MAX_TRIES = 60_000;
/** The likely mistakes are tried with a body of any size. */
const MIN_TRIES = 40;
/** How much is hashed at most, so that a large body is explained in a moment, too. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/** How many strings to sign of a size are tried. */
function triesFor(textBytes: number): number {
  return Math.max(MIN_TRIES, Math.min(MAX_TRIES, Math.floor(MAX_HASHED_BYTES / Math.max(textBytes, 1))));
}

/** Every order of some items, the given one first. Their number grows with the factorial: callers bound it. */
export function permutationsOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item, at) => permutationsOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

/** What the search for the recipe of a signature came to. */
interface RecipeSearch<R, F> {
  /** The recipe that leads to the signature, and the mistakes in it; null when none does. */
  readonly found: Candidate<R> | null;
  /** How it fits; null when none does. */
  readonly fit: F | null;
  readonly search: NonNullable<Finding['search']>;
}

/** Looks for the recipe that fits a signature, as `fitOf` says, which is asked at most so often. */
export function searchRecipe<R extends object, F>(
  base: R,
  hypotheses: readonly Hypothesis<R>[],
  fitOf: (recipe: R) => F | null,
  maxTries: number,
): RecipeSearch<R, F> {
  const checked = [...new Set(hypotheses.map(({ name }) => name))];
  let triesLeft = maxTries;
  for (const { recipe, mistakes } of candidatesOf(base, hypotheses)) {
    if (triesLeft === 0) return { found: null, fit: null, search: { isExplained: false, isCut: true, checked } };
    triesLeft -= 1;
    const fit = fitOf(recipe);
    if (fit === null) continue;
    const found = { recipe, mistakes: mistakes.map(mistakeOf) };
    return { found, fit, search: { isExplained: true, isCut: false, checked } };
  }
  return { found: null, fit: null, search: { isExplained: false, isCut: false, checked } };
}

/** What the search for a signature came to that can be read in several ways. */
interface SignatureSearch<R> extends Omit<RecipeSearch<R, SentMac>, 'fit'> {
  /** What is wrong with how the signature is written. */
  readonly spelling: Mistake | null;
}

/**
 * Looks for the recipe that leads to a signature, in any way in which it can be read.
 *
 * @param textBytes how long the string to sign is: a long one is tried less often
 */
export function searchSignature<R extends object>(
  base: R,
  hypotheses: readonly Hypothesis<R>[],
  sent: readonly SentMac[],
  macOf: (recipe: R) => Buffer,
  textBytes: number,
): SignatureSearch<R> {
  const fitOf = (recipe: R): SentMac | null => {
    const mac = macOf(recipe);
    return sent.find(({ bytes }) => equal(bytes, mac)) ?? null;
  };
  const { found, fit, search } = searchRecipe(base, hypotheses, fitOf, triesFor(textBytes));
  return { found, spelling: fit?.mistake ?? null, search };
}

/** A way to read the signature that was sent, and what is wrong with writing it so; null when nothing is. */
export interface SentMac {
  readonly bytes: Buffer;
  readonly mistake: Mistake | null;
}

/** A wrong way to write a signature; `read` gives null for a text that is not written so. */
export interface Spelling extends Mistake {
  readonly read: (text: string) => Buffer | null;
}

/** Every way to read the signature that was sent; `right` is null when it is not written as it should be. */
export function readSentMac(text: string, right: Buffer | null, spellings: readonly Spelling[]): readonly SentMac[] {
  const misspelt = spellings.flatMap(({ read, ...mistake }) => {
    const bytes = read(text);
    return bytes === null || bytes.length === 0 ? [] : [{ bytes, mistake: mistakeOf(mistake) }];
  });
  return right === null ? misspelt : [{ bytes: right, mistake: null }, ...misspelt];
}

/** The bytes of a text in hex; null for another text. */
export function bytesOfHex(text: string): Buffer | null {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null;
}
