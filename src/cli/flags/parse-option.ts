import { InvalidArgumentError } from 'commander';

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
  if (kind === 'header' || kind === 'query') return { [kind]: text.slice(colon + 1) };
  throw new InvalidArgumentError('The form is keyNames=header:NAME or keyNames=query:NAME, several with commas.');
}
