import type { RingContent } from '../../keyring/ring-content.ts';
import { formatSeconds } from '../../keyring/ring-document.ts';
import { renderTable } from '../render-table.ts';
import type { OutputFormat } from './output-option.ts';

/** A key as it is shown: everything but the key itself. */
interface ShownKey {
  readonly id: string;
  readonly createdAt: string;
  /** `current` seals and signs, `staged` will, `former` only opens and verifies. */
  readonly state: 'current' | 'staged' | 'former';
  readonly ageSeconds: number;
}

/** A key ring as scripts get it. */
export function describeRing(ring: RingContent, nowSeconds: number): readonly ShownKey[] {
  return ring.keys.map(({ id, createdAt }) => ({
    id,
    createdAt: formatSeconds(createdAt),
    state: id === ring.currentKeyId ? 'current' : id === ring.stagedKeyId ? 'staged' : 'former',
    ageSeconds: Math.max(0, nowSeconds - createdAt),
  }));
}

/** Key rings as people get them. */
export function renderKeys(keys: readonly ShownKey[]): string {
  const rows = keys.map(({ id, createdAt, state, ageSeconds }) => [id, state, formatAge(ageSeconds), createdAt]);
  return `${renderTable(['KEY', 'STATE', 'AGE', 'CREATED'], rows)}\n`;
}

/** What a command prints: a value for scripts, text for people. */
export async function renderResult(format: OutputFormat, value: object, text: string): Promise<string> {
  return format === 'table' ? text : (await import('../output-format.ts')).formatData(value, format);
}

const SECONDS_PER = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

function formatAge(seconds: number): string {
  const unit = SECONDS_PER.find(([, length]) => seconds >= length);
  return unit === undefined ? `${String(seconds)} s` : `${String(Math.floor(seconds / unit[1]))} ${unit[0]}`;
}
