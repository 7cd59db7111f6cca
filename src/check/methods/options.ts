import { bounded } from '../../model/document/bounds.ts';
import { choiceField, type Field, nestedField, nestedList } from '../../model/document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../../model/document/problem-log.ts';
import { readMapping, withDefaults } from '../../model/document/read-mapping.ts';
import {
  type AuthenticationMethod,
  authenticationMethods,
  type CommonOptions,
  type OptionsOf,
} from '../../model/endpoint.ts';
import type { OptionReader } from './method.ts';
import { methods } from './methods.ts';

/** Options as they were written, by name: right values only, not yet those of one method. */
export type GivenOptions = Readonly<Record<string, unknown>>;

const commonFields: { readonly [N in keyof CommonOptions]: Field<CommonOptions[N]> } = {
  mode: choiceField(['enforce', 'observe']),
  onLimiterFailure: choiceField(['allow', 'deny']),
};
const commonDefaults: CommonOptions = { mode: 'enforce', onLimiterFailure: 'allow' };

/** The options of every method; those of the same name are the same. */
const readers: Readonly<Record<string, OptionReader<unknown>>> = Object.fromEntries([
  ...authenticationMethods.flatMap((method) => Object.entries<OptionReader<unknown>>(methods[method].options.readers)),
  ...Object.entries(commonFields),
]);

/** The options of all methods together. */
export const optionsKind = {
  what: '"options"',
  fields: Object.fromEntries(
    Object.entries(readers).map(([name, reader]) => {
      if (typeof reader === 'function') return [name, reader];
      const field = reader.inside === undefined ? nestedField() : nestedList(reader.inside);
      return [name, reader.bound === undefined ? field : bounded(field, reader.bound)];
    }),
  ),
  required: [],
};

/**
 * Reads `options` (interfaces §4). An option that the endpoint does not use is a problem that names what it is for.
 * `method` is null on an open endpoint and undefined when the endpoint's own fault leaves it unknown.
 */
export function readOptions(
  raw: unknown,
  place: Place,
  method: AuthenticationMethod | null | undefined,
  problems: ProblemLog,
): GivenOptions {
  const values = raw === undefined ? {} : (readMapping(raw, place, optionsKind, problems) ?? {});
  if (typeof raw === 'object' && raw !== null && method !== undefined) reportUnused(raw, place, method, problems);
  const conflict = method === null || method === undefined ? null : methods[method].options.findConflict?.(values);
  if (conflict) problems.reportKey(place, conflict.option, conflict.message);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const reader = readers[name];
      return [name, typeof reader === 'object' ? reader.read(value, placeIn(place, name), problems) : value];
    }),
  );
}

/** The options of a method, defaults filled in. */
export function optionsOf<M extends AuthenticationMethod>(method: M, given: GivenOptions): OptionsOf[M] {
  return withDefaults(given, { ...commonDefaults, ...methods[method].options.defaults }) as OptionsOf[M];
}

/** The options that every endpoint has, defaults filled in. */
export function commonOptions(given: GivenOptions): CommonOptions {
  return withDefaults(given, commonDefaults);
}

function reportUnused(raw: object, place: Place, method: AuthenticationMethod | null, problems: ProblemLog): void {
  for (const name of Object.keys(raw)) {
    const users = authenticationMethods.filter((user) => Object.hasOwn(methods[user].options.readers, name));
    if (users.length === 0) continue;
    if (method === null) {
      const message = `an open endpoint takes only the options "mode" and "onLimiterFailure"; "${name}" is for endpoints with authentication`;
      problems.reportKey(place, name, message);
    } else if (!users.includes(method)) {
      const message = `"${name}" is an option for ${users.join(' and ')}; this endpoint's authentication is ${method}`;
      problems.reportKey(place, name, message);
    }
  }
}
