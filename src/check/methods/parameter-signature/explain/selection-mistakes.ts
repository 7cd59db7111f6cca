import { isDeepStrictEqual } from 'node:util';
import { textOf, visible } from '../../explanation/text-encoding.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import { type Pair, type ParameterCase, type ParameterRecipe, plainParameter, type SentParameter } from './case.ts';

const ALL_FIX = 'Sign every parameter that is sent but sign, also empty ones';
const RESERVED = ['appKey', 'apiTimestamp'];
const CLOCK_READINGS_SECONDS = [1, -1, 2, -2, 3, -3];

/** What goes wrong with which parameters are signed. */
export function selectionMistakes({ form, query, parameters }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  const selectionMistake = (
    name: string,
    what: string,
    fix: string,
    ways: readonly ((parameters: readonly SentParameter[]) => readonly SentParameter[])[],
  ): Hypothesis<ParameterRecipe> => ({
    name,
    what,
    fix,
    vary: (recipe) =>
      ways
        .map((way) => ({ parameters: way(recipe.parameters) }))
        .filter(({ parameters: other }) => !isDeepStrictEqual(other.map(decoded), recipe.parameters.map(decoded))),
  });
  const without = (name: string) => (all: readonly SentParameter[]) => all.filter((one) => one.name !== name);
  const timed = (change: (digits: string) => string) => (all: readonly SentParameter[]) =>
    all.map((one) => (one.name === 'apiTimestamp' ? plainParameter(one.name, change(one.value)) : one));
  const businessNames = [...new Set(parameters.map(({ name }) => name))].filter(
    (name) => !['appKey', 'apiTimestamp', 'sign', 'data'].includes(name),
  );
  return [
    selectionMistake(
      'sign-included',
      'sign itself was among the parameters that were signed',
      'Leave sign out of the string to sign altogether, also its name',
      ['', 'null', 'undefined', 'None'].map((value) => (all) => [...all, plainParameter('sign', value)]),
    ),
    selectionMistake(
      'empty-values-left-out',
      'parameters with an empty value were not signed',
      `${ALL_FIX}: "a" and "a=" are both signed as "a="`,
      [(all) => all.filter(({ value }) => value !== '')],
    ),
    selectionMistake(
      'timestamp-not-signed',
      'apiTimestamp was sent but not signed',
      `${ALL_FIX}; apiTimestamp is sorted among the others`,
      [without('apiTimestamp')],
    ),
    selectionMistake('app-key-not-signed', 'appKey was sent but not signed', ALL_FIX, [without('appKey')]),
    selectionMistake(
      'data-not-signed',
      'data was sent but not signed',
      'Sign data as one parameter: its value is the whole original JSON text',
      [without('data')],
    ),
    selectionMistake('only-reserved-signed', 'only appKey and apiTimestamp were signed', ALL_FIX, [
      (all) => all.filter(({ name }) => RESERVED.includes(name)),
    ]),
    selectionMistake(
      'timestamp-signed-otherwise',
      'apiTimestamp was signed with another value than it was sent with',
      'Read the clock once, and sign the very digits that are sent',
      [
        timed((digits) => `${digits}000`),
        timed((digits) => digits.slice(0, -3)),
        ...CLOCK_READINGS_SECONDS.map((offset) => timed((digits) => String(Number(digits) + offset))),
      ],
    ),
    ...businessNames.map((name) =>
      selectionMistake(
        'parameter-not-signed',
        `the parameter ${visible(Buffer.from(name, 'latin1'))} was sent but not signed`,
        ALL_FIX,
        [without(name)],
      ),
    ),
    selectionMistake(
      'repeated-names',
      'of parameters with the same name only one was signed, or their values were joined',
      'Sign each as "name=value", in the order in which they are sent',
      [
        (all) => all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index),
        (all) => all.filter(({ name }, index) => all.findLastIndex((other) => other.name === name) === index),
        (all) => joinEqual(all, ','),
        (all) => joinEqual(all, ''),
      ],
    ),
    selectionMistake(
      'query-signed',
      'the parameters of the URL were signed too, but those of a form or JSON request are in its body only',
      'Sign the parameters of the body only, and send none in the URL',
      form === 'url' ? [] : [(all) => [...query, ...all], (all) => [...all, ...query]],
    ),
  ];
}

function decoded({ name, value }: SentParameter): Pair {
  return [name, value];
}

function joinEqual(all: readonly SentParameter[], comma: string): readonly SentParameter[] {
  const joined = new Map<string, string>();
  for (const { name, value } of all) {
    const former = joined.get(name);
    joined.set(name, former === undefined ? value : former + comma + value);
  }
  return [...joined].map(([name, value]) => plainParameter(name, value));
}

const FIX =
  'Sort by name, ascending by bytes: digits, upper case, "_", lower case; equal names keep the order in which they are sent';
/** Orders are tried up to this many parameters: their number grows with the factorial. */
const MAX_ORDERED_PARAMETERS = 6;

/** What goes wrong with the order of the parameters. */
export const orderMistakes: readonly Hypothesis<ParameterRecipe>[] = [
  order('not-sorted', 'the parameters were not sorted', null),
  order(
    'sorted-without-case',
    'the parameters were sorted without regard to upper and lower case',
    by(([name]) => name.toLowerCase()),
  ),
  order('sorted-by-locale', 'the parameters were sorted by the rules of a language', ([left], [right]) =>
    textOf(left).localeCompare(textOf(right), 'en'),
  ),
  order(
    'equal-names-by-value',
    'equal names were sorted by value',
    by(([name, value]) => `${name}\0${value}`),
  ),
  order(
    'sorted-as-pairs',
    'the texts "name=value" were sorted, not the names',
    by(([name, value]) => `${name}=${value}`),
  ),
  order(
    'sorted-by-utf-16',
    'the names were sorted by UTF-16 units, not by UTF-8 bytes',
    by(([name]) => textOf(name)),
  ),
  {
    name: 'not-sorted',
    what: 'the parameters were signed in another order than sorted, and sent in yet another',
    fix: FIX,
    isAlone: true,
    vary: (recipe) =>
      recipe.parameters.length > MAX_ORDERED_PARAMETERS
        ? []
        : permutationsOf(recipe.parameters).map((parameters) => ({ parameters, compare: null })),
  },
];

function order(name: string, what: string, compare: ParameterRecipe['compare']): Hypothesis<ParameterRecipe> {
  return { name, what, fix: FIX, vary: () => [{ compare }] };
}

function by(keyOf: (pair: Pair) => string): (left: Pair, right: Pair) => number {
  return (left, right) => {
    const [leftKey, rightKey] = [keyOf(left), keyOf(right)];
    return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
  };
}
