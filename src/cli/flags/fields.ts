import { InvalidArgumentError } from 'commander';
import { findNearestName } from '../../model/document/nearest-name.ts';
import type { PlainProblem } from '../../model/document/read-plain.ts';
import { unseenTexts } from '../../model/document/unseen-texts.ts';
import type { Change, Planned } from '../../resources/changes/change.ts';
import { stepsOf, type Wish } from '../../resources/changes/wish.ts';
import type { Declared } from '../../resources/declared.ts';
import { UsageError } from '../failure.ts';
import { conflictOf } from './remedies.ts';

/**
 * The flags that set the fields of a declared resource (interfaces §4), by the paths of the fields. `labels.*` is set
 * key by key: its flag collects a mapping.
 */
export type FieldFlags = Readonly<Record<string, string>>;

/** The flags of a table's rows, each `--name <value>` in its row, by the names of the fields. */
export function flagsOfRows(rows: readonly { readonly name: string; readonly flag: string }[]): FieldFlags {
  return Object.fromEntries(rows.map(({ name, flag }) => [name, flag.split(' ', 1)[0] ?? flag]));
}

/**
 * What the flags of a command wish of a resource; `--unset` as {@link unsetCollector} reads it. Throws `UsageError` for
 * texts with characters that nobody sees.
 */
export function wishOf(flags: object, fields: FieldFlags): Wish {
  const given: Declared = { ...flags };
  const set = Object.entries(fields).flatMap(([path, flag]): (readonly [path: string, value: unknown])[] => {
    const value = given[flag.slice(2).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (value === undefined) return [];
    if (!path.endsWith('.*')) return [[path, value]];
    return Object.entries(value as Declared).map(([key, item]) => [`${path.slice(0, -1)}${key}`, item]);
  });
  const paths = new Set(set.map(([path]) => path));
  // A path that is also set would keep the earlier place among the entries, before the clearing of its whole field.
  const unset = ((given['unset'] ?? []) as readonly string[]).filter((path) => !paths.has(path));
  const cleared = unset.map((path) => [path, undefined] as const);
  const unseen = set.flatMap(([path, value]) => unseenTexts(nested(path, value)));
  if (unseen.length > 0) throw wrongFlags(unseen, fields);
  return Object.fromEntries([...cleared, ...set]);
}

/** What a path leads to, as the mapping that it leads through. */
function nested(path: string, value: unknown): Declared {
  const [field, key] = stepsOf(path);
  return { [field]: key === undefined ? value : { [key]: value } };
}

/** {@link wishOf} for a command that changes a resource. Throws `UsageError` when it wishes nothing. */
export function changeWishOf(flags: object, fields: FieldFlags): Wish {
  const wish = wishOf(flags, fields);
  if (Object.keys(wish).length === 0) throw new UsageError('no change is given; see --help');
  return wish;
}

/** Reads the values of `--unset`, flags without dashes, as paths of fields: `host`, or `option.mode` for one key. */
export function unsetCollector(
  fields: FieldFlags,
  clearable: readonly string[],
): (text: string, so?: readonly string[]) => readonly string[] {
  const paths = new Map(Object.entries(fields).map(([path, flag]) => [flag.slice(2), path]));
  const isKeyed = (flag: string): boolean => paths.get(flag)?.endsWith('.*') === true;
  return (text, collected = []) => {
    const [, flag = '', key] = /^(?:--)?([^.]*)(?:\.(.*))?$/s.exec(text) ?? [];
    const path = clearable.includes(flag) ? paths.get(flag)?.replace('.*', '') : undefined;
    if (path !== undefined && key === undefined) return [...collected, path];
    if (path !== undefined && key !== '' && isKeyed(flag)) return [...collected, `${path}.${String(key)}`];
    const known = [...clearable, ...clearable.filter(isKeyed).map((name) => `${name}.NAME`)];
    const nearest = findNearestName(text, clearable);
    throw new InvalidArgumentError(
      nearest === null || nearest === text ? `It must be one of ${known.join(', ')}.` : `Did you mean ${nearest}?`,
    );
  };
}

/** The changes of a plan. Throws `UsageError`, which names every problem by its flag, or `Conflict`. */
export function changesOf(planned: Planned, fields: FieldFlags): readonly Change[] {
  if ('changes' in planned) return planned.changes;
  if ('conflict' in planned) throw conflictOf(planned);
  throw wrongFlags(planned.problems, fields);
}

/** Problems of fields as a {@link UsageError}, which names each by its flag. */
export function wrongFlags(found: readonly PlainProblem[], fields: FieldFlags): UsageError {
  const problems = found.map((problem) => describeProblem(problem, fields));
  return new UsageError(problems.length === 1 ? problems.join() : `these flags are wrong:\n  ${problems.join('\n  ')}`);
}

/** A missing field is reported at the place that lacks it; the flag is found by the name in the message. */
function describeProblem({ path, message }: PlainProblem, fields: FieldFlags): string {
  const missing = /^"(\w+)" is missing/.exec(message)?.[1];
  const flag = flagAt(missing === undefined ? path : `${path === '' ? '' : `${path}.`}${missing}`, fields);
  if (flag === null) return message;
  return missing === undefined ? `${flag}: ${message}` : `${flag} is missing`;
}

/** The flag that sets what a path leads to, with the key where it sets keys: `--option mode`. Null for none. */
function flagAt(path: string, fields: FieldFlags): string | null {
  for (const [known, flag] of Object.entries(fields)) {
    const field = known.replace('.*', '');
    const below = path.slice(field.length);
    if (!path.startsWith(field) || !/^(?:[.[]|$)/.test(below)) continue;
    const key = known === field ? undefined : /^\.(\w+)/.exec(below)?.[1];
    return key === undefined ? flag : `${flag} ${key}`;
  }
  return null;
}
