import { bounded } from '../model/document/bounds.ts';
import { nestedField, nestedList } from '../model/document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import { readMapping } from '../model/document/read-mapping.ts';
import {
  type AuthenticationMethod,
  authenticationMethods,
  endpointOptions,
  findConflict,
  type GivenOptions,
  hasOption,
  optionsOf,
} from '../model/endpoint.ts';
import type { Option } from '../model/options/option.ts';

const options: Readonly<Record<string, Option<unknown>>> = endpointOptions;

/** The options of all methods together. */
export const optionsKind = {
  what: '"options"',
  fields: Object.fromEntries(
    Object.entries(options).map(([name, { reader }]) => {
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
  const conflict = method === null || method === undefined ? null : findConflict(method, values);
  if (conflict !== null) problems.reportKey(place, conflict.option, conflict.message);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const reader = options[name]?.reader;
      return [
        name,
        typeof reader === 'object' ? reader.read(value, placeIn(place, name), problems, method ?? null) : value,
      ];
    }),
  );
}

function reportUnused(raw: object, place: Place, method: AuthenticationMethod | null, problems: ProblemLog): void {
  for (const name of Object.keys(raw)) {
    const users = authenticationMethods.filter((user) => hasOption(user, name));
    if (hasOption(method, name) || users.length === 0) continue;
    if (method === null) {
      const known = Object.keys(optionsOf(null, {})).map((each) => JSON.stringify(each));
      const message = `an open endpoint takes only the options ${listOf(known)}; "${name}" is for endpoints with authentication`;
      problems.reportKey(place, name, message);
    } else {
      const message = `"${name}" is an option for ${listOf(users)}; this endpoint's authentication is ${method}`;
      problems.reportKey(place, name, message);
    }
  }
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}
