import { InvalidArgumentError } from 'commander';
import type { Declared } from '../../resources/declared.ts';
import { ID_PATTERN } from '../../document/fields.ts';
import { readLimits } from '../../resources/limits.ts';
import { readPlain } from '../../document/read-plain.ts';
import { carrierKinds, type PathRule } from '../../model/endpoint.ts';
import { limitScopes, limitUnits } from '../../model/limit.ts';
import { parsePathRule } from '../../receive/path.ts';

/** The id of an endpoint, consumer or credential (spec §1), checked before anything is asked of the store. */
export function parseId(text: string): string {
  if (ID_PATTERN.test(text)) return text;
  throw new InvalidArgumentError(
    'An id has 1 to 63 of the characters a-z, 0-9 and "-", and begins with a letter or digit.',
  );
}

/** {@link parseId} for a flag that is given once for each id. */
export function collectId(text: string, ids: readonly string[] = []): readonly string[] {
  return [...ids, parseId(text)];
}

/** A whole number from 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** Collects the values of a flag that can be given several times. */
export function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

const FORM = `The form is REQUESTS/UNIT/PER, such as 100/minute/consumer: UNIT is ${limitUnits.join(', ')}; PER is ${limitScopes.join(' or ')}.`;

/** `100/minute/consumer` as a declared limit (interfaces §4). */
export function parseLimit(text: string): Declared {
  return parse(text, FORM, null);
}

/** `1000/minute`: a limit of a grant, which counts its own consumer only. */
export function parseGrantLimit(text: string): Declared {
  const form = `The form is REQUESTS/UNIT, such as 1000/minute: UNIT is ${limitUnits.join(', ')}.`;
  return parse(text, form, 'consumer');
}

/** {@link parseLimit} for a flag that is given once for each limit. */
export function collectLimit(text: string, limits: readonly Declared[] = []): readonly Declared[] {
  return [...limits, parseLimit(text)];
}

/** {@link parseGrantLimit} for a flag that is given once for each limit. */
export function collectGrantLimit(text: string, limits: readonly Declared[] = []): readonly Declared[] {
  return [...limits, parseGrantLimit(text)];
}

function parse(text: string, form: string, defaultPer: string | null): Declared {
  const [requests = '', unit, per = defaultPer, ...rest] = text.split('/');
  if (!/^\d{1,12}$/.test(requests) || unit === undefined || per === null || rest.length > 0) {
    throw new InvalidArgumentError(form);
  }
  const limit = { requests: Number(requests), unit, per };
  const read = readPlain([limit], (raw, place, problems) => readLimits(raw, place, null, problems));
  if ('value' in read) return limit;
  throw new InvalidArgumentError(`${read.problems.map(({ message }) => message).join('; ')}. ${form}`);
}

/** The options whose values are lists; given again, a flag adds to the list. */
const readItem: Readonly<Record<string, (text: string) => unknown>> = {
  algorithms: (text) => text,
  keyNames: readKeyName,
};

/**
 * `clockSkewSeconds=60`, `hideCredentials=false`, `algorithms=hmac-sha256,hmac-sha512`, `keyNames=header:X-Key,query:key`
 * as values of a declarative file. Which options there are, and for which methods, its reader knows.
 */
export function collectOption(
  text: string,
  options: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const [name, value] = splitAssignment(text);
  const read = Object.hasOwn(readItem, name) ? readItem[name] : undefined;
  if (read === undefined) return { ...options, [name]: readScalar(value) };
  const former = options[name];
  const items = value.split(',').map(read);
  return { ...options, [name]: [...(Array.isArray(former) ? (former as readonly unknown[]) : []), ...items] };
}

/** `tier=gold` as a label; the last of equal names counts. */
export function collectLabel(
  text: string,
  labels: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [name, value] = splitAssignment(text);
  return { ...labels, [name]: value };
}

function splitAssignment(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  const name = text.slice(0, Math.max(equals, 0));
  if (name === '' || name === '__proto__') throw new InvalidArgumentError('The form is NAME=VALUE.');
  return [name, text.slice(equals + 1)];
}

function readScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function readKeyName(text: string): unknown {
  const colon = text.indexOf(':');
  const kind = text.slice(0, Math.max(colon, 0));
  if (carrierKinds.some((known) => known === kind)) return { [kind]: text.slice(colon + 1) };
  const forms = [...carrierKinds].sort().map((known) => `keyNames=${known}:NAME`);
  throw new InvalidArgumentError(`The form is ${forms.join(' or ')}, several with commas.`);
}

/** `/orders` or `prefix:/orders`: everything below; `exact:/orders`: this path only (interfaces §4). */
export function collectPathRule(text: string, rules: readonly PathRule[] = []): readonly PathRule[] {
  const rule = ruleOf(text);
  if (rule === null) {
    throw new InvalidArgumentError(
      'The form is /orders or prefix:/orders for everything below it, exact:/orders for this path only.',
    );
  }
  const parsed = parsePathRule(rule);
  if ('reason' in parsed) {
    throw new InvalidArgumentError(`The path is not in normal form and would match no request: ${parsed.reason}.`);
  }
  return [...rules, rule];
}

function ruleOf(text: string): PathRule | null {
  if (text.startsWith('/')) return { prefix: text };
  const [kind, path = ''] = splitAtColon(text);
  if (!path.startsWith('/')) return null;
  if (kind === 'prefix') return { prefix: path };
  return kind === 'exact' ? { exact: path } : null;
}

function splitAtColon(text: string): readonly string[] {
  const colon = text.indexOf(':');
  return [text.slice(0, Math.max(colon, 0)), text.slice(colon + 1)];
}

/** A rule in the form in which it is given: `/orders`, `exact:/orders`. */
export function formatPathRule(rule: PathRule): string {
  return 'prefix' in rule ? rule.prefix : `exact:${rule.exact}`;
}
