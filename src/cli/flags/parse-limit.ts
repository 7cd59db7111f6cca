import { InvalidArgumentError } from 'commander';
import type { Declared } from '../../document/declare/declared.ts';
import { readLimits } from '../../document/read-limits.ts';
import { readPlain } from '../../document/read-plain.ts';
import { limitScopes, limitUnits } from '../../model/limit.ts';

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
