import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { drivePace, type Latencies, type Pace } from './driver/pace.ts';
import { endpoints } from './fixtures/document.ts';
import type { Files } from './fixtures/files.ts';
import { spread } from './fixtures/partners.ts';
import type { RunningPeer } from './peers/peer.ts';
import { writeMessages } from './requests/messages.ts';
import { hmacRequest, octets } from './requests/signed-requests.ts';
import type { RequestPorts } from './row.ts';
import { median } from './statistics.ts';

/** The name by which `--rows` asks for {@link measureBeside}. */
export const besideName = 'small-beside-large';

const MIB = 1024 * 1024;
const SMALL_PER_SECOND = 500;
const LARGE_PER_SECOND = 5;
const SECONDS = 3;
const VARIETY = { small: 1000, large: 4 } as const;

/** Latencies of small checks alone and beside large ones; medians over the rounds. */
export interface BesideFigures {
  readonly alone: Latencies;
  readonly beside: Latencies;
  /** Of the large ones. */
  readonly large: Latencies;
}

export const besideTitle = `key checks, ${String(SMALL_PER_SECOND)}/s, beside hmac with 10 MiB, ${String(LARGE_PER_SECOND)}/s`;

/** How long small checks wait while large bodies arrive on another connection of the same service, which is `postern-signatures`. */
export async function measureBeside(
  peer: RunningPeer,
  files: Files,
  { requests, rounds }: { readonly requests: RequestPorts; readonly rounds: number },
): Promise<BesideFigures> {
  const { partners, edit } = requests;
  const small = join(files.directory, 'beside-small.messages');
  const large = join(files.directory, 'beside-large.messages');
  try {
    const keyChecks = spread(partners, VARIETY.small).map(({ appKey }) =>
      edit({ path: `${endpoints.orders.path}/2026-1042?appKey=${appKey}&page=2` }),
    );
    await writeMessages(small, keyChecks);
    const largeChecks = spread(partners, VARIETY.large).map((partner, at) =>
      edit(hmacRequest(partner, at, octets(10 * MIB, at))),
    );
    await writeMessages(large, largeChecks);
    const pace: Omit<Pace, 'largeRate'> = {
      ...{ address: peer.address, messages: small, rate: SMALL_PER_SECOND, seconds: SECONDS, large },
    };
    await drivePace({ ...pace, largeRate: LARGE_PER_SECOND });
    const seen = { alone: [] as Latencies[], beside: [] as Latencies[], large: [] as Latencies[] };
    for (let round = 0; round < rounds; round += 1) {
      seen.alone.push((await drivePace({ ...pace, largeRate: 0 })).small);
      const both = await drivePace({ ...pace, largeRate: LARGE_PER_SECOND });
      seen.beside.push(both.small);
      if (both.large !== undefined) seen.large.push(both.large);
    }
    return { alone: medians(seen.alone), beside: medians(seen.beside), large: medians(seen.large) };
  } finally {
    for (const path of [small, large]) rmSync(path, { force: true });
  }
}

function medians(list: readonly Latencies[]): Latencies {
  const of = (name: keyof Latencies): number => median(list.map((each) => each[name]));
  return { calls: of('calls'), p50Us: of('p50Us'), p99Us: of('p99Us'), maxUs: of('maxUs') };
}
