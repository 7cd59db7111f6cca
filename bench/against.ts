import { join } from 'node:path';
import type { Files } from './fixtures/files.ts';
import type { LoadName, Plan } from './loads.ts';
import { measure, type MeasurePorts } from './measure.ts';
import type { Peer } from './peers/peer.ts';
import { peers } from './peers/peers.ts';
import { prepareRows } from './prepare.ts';
import { formatTable } from './report.ts';
import { loadNamesOf, type Row } from './row.ts';
import { median, medianRatio } from './statistics.ts';

/** One row of two builds of Postern under one load: medians, and the median of the ratios within each round. */
export interface Comparison {
  readonly name: string;
  readonly load: LoadName;
  readonly otherCpuUs: number;
  readonly cpuUs: number;
  readonly ratio: number;
}

/**
 * Measures the rows of Postern in turn with the same rows of another checkout, which is built: what disturbs the
 * machine disturbs both. Each checkout starts from its own `dist/`, with the same files and messages.
 */
export async function compareWith(
  checkout: string,
  rows: readonly Row[],
  files: Files,
  { plan, ports }: { readonly plan: Plan; readonly ports: MeasurePorts },
): Promise<readonly Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const row of rows.filter(({ peer }) => peer.startsWith('postern'))) {
    const peer = peers[row.peer];
    const other = { row: { ...row, name: `${row.name} of ${checkout}` }, peer: ofCheckout(peer, checkout) };
    await using prepared = await prepareRows([other, { row, peer }], files, ports);
    const [before, now] = await measure(prepared.rows, plan, ports);
    for (const load of loadNamesOf(row)) {
      const others = before?.samples[load]?.map(({ cpuUs }) => cpuUs) ?? [];
      const owns = now?.samples[load]?.map(({ cpuUs }) => cpuUs) ?? [];
      const ratio = medianRatio(owns, others);
      comparisons.push({ name: row.name, load, otherCpuUs: median(others), cpuUs: median(owns), ratio });
    }
  }
  return comparisons;
}

/** The comparisons as text for people. */
export function formatComparisons(comparisons: readonly Comparison[], checkout: string): string {
  const lines = comparisons.map(({ name, load, otherCpuUs, cpuUs, ratio }) => [
    name,
    load,
    otherCpuUs.toFixed(1),
    cpuUs.toFixed(1),
    ratio.toFixed(3),
  ]);
  return `${formatTable(['row', 'load', `${checkout}, CPU µs`, 'here, CPU µs', 'ratio'], lines)}\n`;
}

/** The same service, from the build of another checkout. */
function ofCheckout(peer: Peer, checkout: string): Peer {
  return {
    ...peer,
    command: (files) => {
      const { args, ...command } = peer.command(files);
      return { ...command, args: [join(checkout, 'dist', 'main.js'), ...args.slice(1)] };
    },
  };
}
