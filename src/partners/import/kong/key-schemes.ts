import type { KeySchemes } from '../../../check/methods/kong.ts';
import { isAppKey } from '../../../model/app-key.ts';
import { isToken } from '../../../base/text/http-grammar.ts';
import type { KongConsumer } from './kong-entities.ts';

/** How the keys of a file are read that hold a scheme word themselves. */
export interface FileKeySchemes extends KeySchemes {
  /** The App Key of such a key; null for a key without a word, or one that would then be somebody else's. */
  readonly appKeyOf: (key: string) => string | null;
}

/**
 * Kong compares the whole header with the key, so that callers who send `Authorization: Bearer abc` have the key
 * `Bearer abc` there. Here the word is of the carrier, and the App Key is what follows it.
 */
export function readKeySchemes(consumers: readonly KongConsumer[]): FileKeySchemes {
  const keys = consumers.flatMap(({ credentials }) =>
    credentials.flatMap(({ kind: { credential }, entity }) =>
      credential.appSecret === null ? (entity.text(credential.appKey) ?? []) : [],
    ),
  );
  const uses = new Map<string, number>();
  for (const key of keys) {
    const bare = splitWord(key)?.appKey ?? key;
    uses.set(bare, (uses.get(bare) ?? 0) + 1);
  }
  const wordOf = (key: string): { readonly word: string; readonly appKey: string } | null => {
    const split = splitWord(key);
    return split !== null && uses.get(split.appKey) === 1 ? split : null;
  };
  const words = new Map<string, string>();
  for (const key of keys) {
    const word = wordOf(key)?.word;
    if (word !== undefined && !words.has(word.toLowerCase())) words.set(word.toLowerCase(), word);
  }
  return {
    words: [...words.values()],
    areOnAll: keys.length > 0 && keys.every((key) => wordOf(key) !== null),
    appKeyOf: (key) => wordOf(key)?.appKey ?? null,
  };
}

function splitWord(key: string): { readonly word: string; readonly appKey: string } | null {
  const [word = '', appKey = '', ...more] = key.split(' ');
  return more.length === 0 && isToken(word) && isAppKey(appKey) ? { word, appKey } : null;
}
