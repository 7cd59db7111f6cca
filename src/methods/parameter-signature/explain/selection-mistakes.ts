import { textOf } from '../../explanation/text-encoding.ts';
import { visible } from '../../explanation/text-encoding.ts';
import type { Hypothesis } from '../../explanation/explainer.ts';
import { permutationsOf } from '../../explanation/search.ts';
import {
  byName,
  type Pair,
  type ParameterCase,
  type ParameterRecipe,
  plainParameter,
  type SentParameter,
} from './case.ts';

const ALL_FIX = 'Sign every parameter that is sent but sign, also empty ones';
const CLOCK_READINGS_SECONDS = [1, -1, 2, -2, 3, -3];

/** What goes wrong with which parameters are signed. */
export function selectionMistakes({ form, query, parameters }: ParameterCase): readonly Hypothesis<ParameterRecipe>[] {
  const select =
    (...ways: readonly ((parameters: readonly SentParameter[]) => readonly SentParameter[])[]) =>
    (recipe: ParameterRecipe) =>
      ways
        .map((way) => ({ ...recipe, parameters: way(recipe.parameters) }))
        .filter((other) => !haveSameParameters(other, recipe));
  const without = (name: string) => select((all) => all.filter((parameter) => parameter.name !== name));
  const businessNames = [...new Set(parameters.map(({ name }) => name))].filter(
    (name) => !['appKey', 'apiTimestamp', 'sign', 'data'].includes(name),
  );
  return [
    {
      name: 'sign-included',
      what: 'sign itself was among the parameters that were signed',
      fix: 'Leave sign out of the string to sign altogether, also its name',
      vary: (recipe) =>
        ['', 'null', 'undefined', 'None'].map((value) => ({
          ...recipe,
          parameters: [...recipe.parameters, plainParameter('sign', value)],
        })),
    },
    {
      name: 'empty-values-left-out',
      what: 'parameters with an empty value were not signed',
      fix: `${ALL_FIX}: "a" and "a=" are both signed as "a="`,
      vary: select((all) => all.filter(({ value }) => value !== '')),
    },
    {
      name: 'timestamp-not-signed',
      what: 'apiTimestamp was sent but not signed',
      fix: `${ALL_FIX}; apiTimestamp is sorted among the others`,
      vary: without('apiTimestamp'),
    },
    { name: 'app-key-not-signed', what: 'appKey was sent but not signed', fix: ALL_FIX, vary: without('appKey') },
    {
      name: 'data-not-signed',
      what: 'data was sent but not signed',
      fix: 'Sign data as one parameter: its value is the whole original JSON text',
      vary: without('data'),
    },
    {
      name: 'only-reserved-signed',
      what: 'only appKey and apiTimestamp were signed',
      fix: ALL_FIX,
      vary: select((all) => all.filter(({ name }) => name === 'appKey' || name === 'apiTimestamp')),
    },
    {
      name: 'timestamp-signed-otherwise',
      what: 'apiTimestamp was signed with another value than it was sent with',
      fix: 'Read the clock once, and sign the very digits that are sent',
      vary: select(
        ...[
          (value: string) => `${value}000`,
          (value: string) => value.slice(0, -3),
          ...CLOCK_READINGS_SECONDS.map((offset) => (value: string) => String(Number(value) + offset)),
        ].map(
          (change) => (all: readonly SentParameter[]) =>
            all.map((parameter) =>
              parameter.name === 'apiTimestamp' ? plainParameter('apiTimestamp', change(parameter.value)) : parameter,
            ),
        ),
      ),
    },
    {
      name: 'timestamp-signed-not-sent',
      what: 'apiTimestamp was signed but not sent under this name',
      fix: 'Send apiTimestamp with the other parameters',
      vary: (recipe) => {
        const other = recipe.parameters.find(({ name }) =>
          /^(?:timestamp|ts|time|api_timestamp|apitimestamp)$/i.test(name),
        );
        if (other === undefined || other.name === 'apiTimestamp') return [];
        return [
          {
            ...recipe,
            parameters: recipe.parameters.map((parameter) =>
              parameter === other ? plainParameter('apiTimestamp', other.value) : parameter,
            ),
          },
        ];
      },
    },
    ...businessNames.map((name) => ({
      name: 'parameter-not-signed',
      what: `the parameter ${visible(Buffer.from(name, 'latin1'))} was sent but not signed`,
      fix: ALL_FIX,
      vary: without(name),
    })),
    {
      name: 'repeated-names',
      what: 'of parameters with the same name only one was signed, or their values were joined',
      fix: 'Sign each as "name=value", in the order in which they are sent',
      vary: select(
        (all) => all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index),
        (all) => all.filter(({ name }, index) => all.findLastIndex((other) => other.name === name) === index),
        (all) => joinEqual(all, ','),
        (all) => joinEqual(all, ''),
      ),
    },
    {
      name: 'query-signed',
      what: 'the parameters of the URL were signed too, but those of a form or JSON request are in its body only',
      fix: 'Sign the parameters of the body only, and send none in the URL',
      vary:
        form === 'url'
          ? () => []
          : select(
              (all) => [...query, ...all],
              (all) => [...all, ...query],
            ),
    },
  ];
}

function joinEqual(all: readonly SentParameter[], comma: string): readonly SentParameter[] {
  const joined = new Map<string, string>();
  for (const { name, value } of all) {
    const former = joined.get(name);
    joined.set(name, former === undefined ? value : former + comma + value);
  }
  return [...joined].map(([name, value]) => plainParameter(name, value));
}

function haveSameParameters(left: ParameterRecipe, right: ParameterRecipe): boolean {
  return (
    left.parameters.length === right.parameters.length &&
    left.parameters.every(({ name, value }, index) => {
      const other = right.parameters[index];
      return other?.name === name && other.value === value;
    })
  );
}

const FIX =
  'Sort by name, ascending by bytes: digits, upper case, "_", lower case; equal names keep the order in which they are sent';
/** Orders are tried up to this many parameters: their number grows with the factorial. */
const MAX_ORDERED_PARAMETERS = 6;
const RESERVED = ['appKey', 'apiTimestamp'];

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
  order('sorted-descending', 'the parameters were sorted in descending order', (left, right) => byName(right, left)),
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
    'sorted-by-value',
    'the parameters were sorted by value',
    by(([, value]) => value),
  ),
  order(
    'sorted-by-utf-16',
    'the names were sorted by UTF-16 units, not by UTF-8 bytes',
    by(([name]) => textOf(name)),
  ),
  order(
    'reserved-last',
    'appKey and apiTimestamp were put after the other parameters',
    by(([name]) => `${isReserved(name) ? '1' : '0'}${name}`),
  ),
  order(
    'reserved-first',
    'appKey and apiTimestamp were put before the other parameters',
    by(([name]) => `${isReserved(name) ? '0' : '1'}${name}`),
  ),
  order(
    'app-key-first',
    'appKey was put before the other parameters',
    by(([name]) => `${name === 'appKey' ? '0' : '1'}${name}`),
  ),
  {
    name: 'not-sorted',
    what: 'the parameters were signed in another order than sorted, and sent in yet another',
    fix: FIX,
    isAlone: true,
    vary: (recipe) =>
      recipe.parameters.length > MAX_ORDERED_PARAMETERS
        ? []
        : permutationsOf(recipe.parameters).map((parameters) => ({ ...recipe, parameters, compare: null })),
  },
];

function order(name: string, what: string, compare: ParameterRecipe['compare']): Hypothesis<ParameterRecipe> {
  return { name, what, fix: FIX, vary: (recipe) => [{ ...recipe, compare }] };
}

function by(keyOf: (pair: Pair) => string): (left: Pair, right: Pair) => number {
  return (left, right) => {
    const [leftKey, rightKey] = [keyOf(left), keyOf(right)];
    return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
  };
}

function isReserved(name: string): boolean {
  return RESERVED.includes(name);
}
