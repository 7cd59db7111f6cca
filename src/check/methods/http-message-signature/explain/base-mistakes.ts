import { hash } from 'node:crypto';
import { parseDictionary } from '../../../../base/structured-fields/parse-field.ts';
import { isInnerList } from '../../../../base/structured-fields/values.ts';
import { writeValue } from '../../../../base/structured-fields/write-field.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import type { HttpCase, SentSignature } from './case.ts';
import type { HttpRecipe } from './recipe.ts';

/** Orders are tried up to this many parameters: their number grows with the factorial. */
const MAX_ORDERED = 5;
const BASE_FIX = 'Join the lines with a single line feed, each as "name": value, and put none after the last one';

/** What goes wrong when the lines are written and joined, the last of them above all. */
export function baseMistakes({ sent }: HttpCase): readonly Hypothesis<HttpRecipe>[] {
  if (sent === null) return [];
  const orders = ordersOf(sent);
  const order = {
    name: 'parameters-order',
    what: 'the parameters of the signature were signed in another order than they were sent in',
    fix: 'Sign the very text that is sent as Signature-Input, with its parameters in that order',
  };
  return [
    { ...order, vary: () => orders.likely.map((parameters) => ({ parameters })) },
    {
      name: 'label-in-base',
      what: 'the last line was signed with the label of Signature-Input',
      fix: 'Leave the label and its "=" out of the line of "@signature-params"',
      vary: ({ parameters }) => [{ parameters: `${sent.label}=${parameters}` }],
    },
    {
      name: 'line-feed-at-the-end',
      what: 'the signature base ended with a line feed',
      fix: BASE_FIX,
      vary: () => ['\n', '\r\n'].map((ending) => ({ ending })),
    },
    {
      name: 'line-separator',
      what: 'the lines of the signature base were joined with something else than a line feed',
      fix: BASE_FIX,
      vary: () => ['\r\n', '\\n', '', ' '].map((lineBreak) => ({ lineBreak })),
    },
    {
      name: 'component-names',
      what: 'the names of components were written without their quotes',
      fix: BASE_FIX,
      vary: () => [{ spellName: (identifier) => identifier.replaceAll('"', '') }],
    },
    {
      name: 'colon',
      what: 'the lines of the signature base were not written as "name": value, with one blank after the colon',
      fix: BASE_FIX,
      vary: () => [':', '=', ' : '].map((colon) => ({ colon })),
    },
    {
      name: 'hashed-twice',
      what: 'a hash of the signature base was signed instead of the base itself',
      fix: 'Hand the signature base to the signing function as it is: it hashes',
      vary: () =>
        (['sha256', 'sha512'] as const).flatMap((name) => [
          { encodeText: (text: Buffer) => hash(name, text, 'buffer') },
          { encodeText: (text: Buffer) => Buffer.from(hash(name, text, 'hex')) },
        ]),
    },
    { ...order, vary: () => orders.all.map((parameters) => ({ parameters })), isAlone: true },
  ];
}

interface Orders {
  /** As libraries write them: sorted, the time first, the key first, without one that was added later. */
  readonly likely: readonly string[];
  readonly all: readonly string[];
}

function ordersOf({ text }: SentSignature): Orders {
  const members = parseDictionary(`a=${text}`);
  const value = 'fault' in members ? undefined : members.get('a')?.value;
  if (value === undefined || !isInnerList(value)) return { likely: [], all: [] };
  const written = (pairs: readonly (typeof all)[number][]): string =>
    writeValue({ items: value.items, parameters: new Map(pairs) });
  const all = [...value.parameters];
  const rank = (order: readonly string[]) => (name: string) => {
    const at = order.indexOf(name);
    return at === -1 ? order.length : at;
  };
  const sortedBy = (order: readonly string[]): typeof all => {
    const rankOf = rank(order);
    return all.toSorted(([one], [other]) => rankOf(one) - rankOf(other));
  };
  const likely = [
    all.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    sortedBy(['created', 'keyid', 'alg', 'expires', 'nonce', 'tag']),
    sortedBy(['created', 'expires', 'keyid', 'alg', 'nonce', 'tag']),
    sortedBy(['keyid', 'alg', 'created', 'expires', 'nonce', 'tag']),
    sortedBy(['alg', 'keyid', 'created', 'expires', 'nonce', 'tag']),
    all.toReversed(),
    ...all.map(([left]) => all.filter(([name]) => name !== left)),
  ];
  return {
    likely: [...new Set(likely.map(written))],
    all: all.length > MAX_ORDERED ? [] : permutationsOf(all).map(written),
  };
}
