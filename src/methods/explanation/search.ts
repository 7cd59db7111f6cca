import { equal } from '../../signing/equal.ts';
import { type Finding, type Hypothesis, type Mistake, told } from './explainer.ts';

/** What was found out about a signature. */
interface SearchResult<R, F> {
  /** Null when no recipe leads to the signature that was sent. */
  readonly found: { readonly recipe: R; readonly fit: F; readonly mistakes: readonly Mistake[] } | null;
  /** Whether trying ended before every pair was tried. */
  readonly isCut: boolean;
}

/**
 * Looks for the recipe that gives the signature sent: the right one, then each single mistake, then pairs of them, at
 * most `maxTries` in all. So a mistake is named only when it is needed.
 *
 * @param fits tells whether, and how, a recipe leads to the signature that was sent
 */
function searchRecipe<R, F>(
  base: R,
  hypotheses: readonly Hypothesis<R>[],
  fits: (recipe: R) => F | null,
  maxTries: number,
): SearchResult<R, F> {
  let tried = 0;
  const attempt = (recipe: R, mistakes: readonly Mistake[]): SearchResult<R, F>['found'] => {
    tried += 1;
    const fit = fits(recipe);
    return fit === null ? null : { recipe, fit, mistakes: mistakes.map(told) };
  };
  const end = (found: SearchResult<R, F>['found']): SearchResult<R, F> => ({
    found,
    isCut: found === null && tried >= maxTries,
  });

  const right = attempt(base, []);
  if (right !== null) return end(right);
  const singles: { readonly hypothesis: Hypothesis<R>; readonly recipes: readonly R[] }[] = [];
  for (const hypothesis of hypotheses) {
    if (tried >= maxTries) return end(null);
    const recipes = hypothesis.vary(base);
    singles.push({ hypothesis, recipes });
    for (const recipe of recipes) {
      if (tried >= maxTries) return end(null);
      const found = attempt(recipe, [hypothesis]);
      if (found !== null) return end(found);
    }
  }
  for (const [index, { hypothesis, recipes }] of singles.entries()) {
    if (hypothesis.isAlone === true) continue;
    for (const recipe of recipes) {
      for (const second of hypotheses.slice(index + 1)) {
        if (second.isAlone === true) continue;
        for (const both of second.vary(recipe)) {
          if (tried >= maxTries) return end(null);
          const found = attempt(both, [hypothesis, second]);
          if (found !== null) return end(found);
        }
      }
    }
  }
  return end(null);
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
interface SignatureSearch<R> {
  /** The recipe that leads to the signature, and the mistakes in it; null when none does. */
  readonly found: { readonly recipe: R; readonly mistakes: readonly Mistake[] } | null;
  /** What is wrong with how the signature is written. */
  readonly spelling: Mistake | null;
  readonly search: NonNullable<Finding['search']>;
}

/**
 * Looks for the recipe that leads to a signature, in any way in which it can be read.
 *
 * @param textBytes how long the string to sign is: a long one is tried less often
 */
export function searchSignature<R>(
  base: R,
  hypotheses: readonly Hypothesis<R>[],
  sent: readonly SentMac[],
  macOf: (recipe: R) => Buffer,
  textBytes: number,
): SignatureSearch<R> {
  const fits = (recipe: R): SentMac | null => {
    const mac = macOf(recipe);
    return sent.find(({ bytes }) => equal(bytes, mac)) ?? null;
  };
  const { found, isCut } = searchRecipe(base, hypotheses, fits, triesFor(textBytes));
  const checked = [...new Set(hypotheses.map(({ name }) => name))];
  return { found, spelling: found?.fit.mistake ?? null, search: { isExplained: found !== null, isCut, checked } };
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
    return bytes === null || bytes.length === 0 ? [] : [{ bytes, mistake: told(mistake) }];
  });
  return right === null ? misspelt : [{ bytes: right, mistake: null }, ...misspelt];
}

/** The bytes of a text in hex; null for a text that is none. */
export function bytesOfHex(text: string): Buffer | null {
  return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null;
}
