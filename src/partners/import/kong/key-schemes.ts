import type { KeySchemes } from '../../../check/methods/kong.ts';
import { APP_KEY_PATTERN } from '../../../model/app-key.ts';
import { isToken } from '../../../base/text/http-grammar.ts';
import type { KongConsumer } from './kong-entities.ts';

/** How the keys of a file are read, which may begin with a scheme word. */
export interface FileKeySchemes extends KeySchemes {
  /** What of a key is its App Key; else why it has none here, in words that follow "has a credential that". */
  readonly read: (key: string) => { readonly appKey: string } | { readonly fault: string } | null;
}

/** A key, taken apart. `word` is null for none. */
interface KeyParts {
  readonly word: string | null;
  readonly appKey: string;
}

/**
 * Kong compares the whole header with the key, so that callers who send `Authorization: Bearer abc` have the key
 * `Bearer abc` there. Here the word is of the carrier, which is for all keys: an endpoint that takes `Bearer abc` and
 * `abc` takes each key in both forms, which Kong does not. So only the form that most keys have is imported.
 */
export function readKeySchemes(consumers: readonly KongConsumer[]): FileKeySchemes {
  const keys = consumers.flatMap(({ credentials }) =>
    credentials.flatMap(({ kind: { credential }, entity }) =>
      credential.kind === 'app-key' && credential.appSecret === null
        ? (takeApart(entity.text(credential.appKey) ?? '') ?? [])
        : [],
    ),
  );
  const forms = new Map<string | null, KeyParts[]>([[null, []]]);
  for (const parts of keys) {
    const form = formOf(parts);
    const alike = forms.get(form);
    if (alike === undefined) forms.set(form, [parts]);
    else alike.push(parts);
  }
  // Of forms that are as frequent, keys without a word come first, then the order of the file counts.
  const [form, alike] = [...forms].reduce((most, other) => (other[1].length > most[1].length ? other : most));
  const uses = new Map<string, number>();
  for (const { appKey } of alike) uses.set(appKey, (uses.get(appKey) ?? 0) + 1);
  return {
    word: alike[0]?.word ?? null,
    read: (key) => {
      const parts = takeApart(key);
      if (parts === null) return null;
      if (formOf(parts) !== form) return { fault: OTHER_FORM };
      // It would be the App Key of two callers.
      if (form !== null && (uses.get(parts.appKey) ?? 0) > 1) return { fault: OTHER_CASE };
      return { appKey: parts.appKey };
    },
  };
}

const OTHER_FORM =
  'has a "key" of another form than most keys of the file (with a word before it, as in "Bearer abc", or without), and an endpoint takes one form';
const OTHER_CASE = 'has a "key" that differs from another one only in the case of its word, which does not matter here';

function formOf({ word }: KeyParts): string | null {
  return word?.toLowerCase() ?? null;
}

/** Null for a key that cannot be an App Key, nor can what follows its first word. */
function takeApart(key: string): KeyParts | null {
  if (APP_KEY_PATTERN.test(key)) return { word: null, appKey: key };
  const [word = '', appKey = '', ...more] = key.split(' ');
  return more.length === 0 && isToken(word) && APP_KEY_PATTERN.test(appKey) ? { word, appKey } : null;
}
