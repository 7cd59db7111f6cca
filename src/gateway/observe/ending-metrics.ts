import { Gauge, type Registry } from 'prom-client';
import { type Ending, type EndingKind, endingKinds, endsSoon } from '../../model/ending.ts';

/** What is known to run out. */
export interface KnownEndings {
  /** When it was read, in seconds since the epoch. */
  readonly readAt: number;
  /** `isInUse`: whether partners still use it; null where that is not known. */
  readonly endings: readonly (Ending & { readonly isInUse: boolean | null })[];
}

const DAY = 86_400;
const windows = [
  ['2d', 2 * DAY],
  ['7d', 7 * DAY],
  ['30d', 30 * DAY],
] as const;

/**
 * Adds what runs out, as it is known each time metrics are collected: nothing while nothing was read. What ends in the
 * meantime leaves the figures, also while the store cannot be read.
 */
export function registerEndingMetrics(
  registry: Registry,
  { current, nowSeconds }: { readonly current: () => KnownEndings | null; readonly nowSeconds: () => number },
): void {
  const registers = [registry];
  const labelNames = ['what', 'within'] as const;
  new Gauge({
    name: 'postern_ends_soon',
    help: 'Credentials, former App Secrets and public keys, certificates of credentials, and grants that work now and end within a time; 10000 of each are counted at most.',
    labelNames,
    registers,
    collect() {
      for (const { what, within, number } of count(current(), nowSeconds(), endingKinds, () => true)) {
        this.set({ what, within }, number);
      }
    },
  });
  new Gauge({
    name: 'postern_ends_soon_in_use',
    help: 'Those of postern_ends_soon that partners still use; absent where the store keeps no uses.',
    labelNames,
    registers,
    collect() {
      const known = current();
      if (known?.endings.some(({ kind, isInUse }) => kind !== 'grant' && isInUse === null) === true) return;
      for (const { what, within, number } of count(known, nowSeconds(), usedKinds, ({ isInUse }) => isInUse === true)) {
        this.set({ what, within }, number);
      }
    },
  });
  new Gauge({
    name: 'postern_next_end_seconds',
    help: 'When the first of postern_ends_soon ends, as seconds since 1970; absent when nothing ends within 30 days.',
    labelNames: ['what'],
    registers,
    collect() {
      this.reset();
      const now = nowSeconds();
      for (const what of endingKinds) {
        const ends = soon(current(), what, 30 * DAY, now).map(({ expiresAt }) => expiresAt);
        if (ends.length > 0)
          this.set(
            { what },
            ends.reduce((first, end) => Math.min(first, end)),
          );
      }
    },
  });
  new Gauge({
    name: 'postern_ends_read_seconds',
    help: 'When the figures about what ends were last read, as seconds since 1970.',
    registers,
    collect() {
      const known = current();
      this.remove();
      if (known !== null) this.set(known.readAt);
    },
  });
}

const usedKinds = endingKinds.filter((kind) => kind !== 'grant');

type KnownEnding = KnownEndings['endings'][number];

function* count(
  known: KnownEndings | null,
  nowSeconds: number,
  kinds: readonly EndingKind[],
  isCounted: (ending: KnownEnding) => boolean,
): Generator<{ readonly what: EndingKind; readonly within: string; readonly number: number }> {
  if (known === null) return;
  for (const what of kinds) {
    for (const [within, seconds] of windows) {
      yield { what, within, number: soon(known, what, seconds, nowSeconds).filter(isCounted).length };
    }
  }
}

function soon(
  known: KnownEndings | null,
  what: EndingKind,
  seconds: number,
  nowSeconds: number,
): readonly KnownEnding[] {
  return (known?.endings ?? []).filter((ending) => ending.kind === what && endsSoon(ending, seconds, nowSeconds));
}
