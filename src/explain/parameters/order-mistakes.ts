import type { Hypothesis } from '../mistake.ts';
import { permutationsOf } from '../permutations.ts';
import { byName, type Pair, type ParameterRecipe } from './parameter-recipe.ts';
import { textOf } from './parameter-case.ts';

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
