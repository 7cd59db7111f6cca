import type { Declared } from '../../resources/declared.ts';

/** What is wished of an endpoint, in the words of a declarative file. What is absent stays as it is, or gets its default. */
export interface EndpointWish {
  readonly scenario?: string;
  readonly description?: string;
  /** Lists replace those that are there. */
  readonly hosts?: readonly string[];
  readonly paths?: readonly Declared[];
  readonly methods?: readonly string[];
  readonly authentication?: string;
  readonly accessCondition?: string;
  readonly limits?: readonly Declared[];
  /** One by one: others stay. */
  readonly options?: Declared;
  readonly enabled?: boolean;
  /** What gets its default again. `options.clockSkewSeconds` for one option. */
  readonly unset?: readonly EndpointField[];
}

/** What of an endpoint can be left to its default. */
export const clearableFields = ['description', 'hosts', 'methods', 'accessCondition', 'limits', 'options'] as const;
export type EndpointField = (typeof clearableFields)[number] | `options.${string}`;

/** An endpoint in declared form after a wish. Whether it is right, the reader of declarative files says. */
export function applyWish(declared: Declared, wish: EndpointWish): Declared {
  const { hosts, paths, methods, limits, options, unset = [], ...plain } = wish;
  const isOpened = wish.scenario === 'open' && declared['scenario'] !== 'open';
  // What an open endpoint cannot have goes with the wish to open it, unless it is wished in the same breath.
  const kept = isOpened ? leaveOut(declared, ['authentication', 'accessCondition']) : declared;
  const keptOptions = unset.includes('options') ? {} : leaveOut(mappingOf(declared['options']), optionNames(unset));
  return {
    ...leaveOut(kept, unset),
    ...plain,
    match: { ...leaveOut(mappingOf(declared['match']), unset), ...given({ hosts, paths, methods }) },
    trafficControl: { ...leaveOut(mappingOf(declared['trafficControl']), unset), ...given({ limits }) },
    options: { ...keptOptions, ...options },
  };
}

function optionNames(unset: readonly string[]): readonly string[] {
  return unset.filter((field) => field.startsWith('options.')).map((field) => field.slice('options.'.length));
}

function leaveOut(declared: Declared, keys: readonly string[]): Declared {
  return Object.fromEntries(Object.entries(declared).filter(([key]) => !keys.includes(key)));
}

function given(values: Declared): Declared {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function mappingOf(value: unknown): Declared {
  return typeof value === 'object' && value !== null ? (value as Declared) : {};
}
