import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { drive, type DriverName, type Load } from './driver/driver.ts';
import { endpoints } from './fixtures/document.ts';
import type { Files } from './fixtures/files.ts';
import type { Plan } from './loads.ts';
import { startPeer } from './peers/peer.ts';
import { peers } from './peers/peers.ts';
import { readMemory } from './process/figures.ts';
import { keyMessages } from './requests/key-requests.ts';
import { writeMessages } from './requests/messages.ts';
import type { RequestPorts } from './row.ts';
import { hmacMessages, tenMiB } from './signature-rows.ts';
import { median } from './statistics.ts';

/** The name by which `--rows` asks for {@link measureMemory}. */
export const memoryName = 'memory';

/** How long a service has nothing to do before its memory is read. */
const IDLE_SECONDS = 15;
/** Starts of a service are few: each takes as long as that. */
const MOST_ROUNDS = 3;
const LARGE: Load = { connections: 4, streams: 1, checks: 100, seconds: 10 };

export const memoryTitle = `memory: MiB resident with 10 000 consumers, ${String(IDLE_SECONDS)} s after`;

/** Resident memory of an idle service in MiB; medians over the rounds. */
export interface MemoryFigures {
  /** After key checks under the busy load. */
  readonly afterChecksMiB: number;
  /** After hmac checks of bodies of 10 MiB. */
  readonly afterLargeBodiesMiB: number;
}

/** Reads the memory that a service keeps when a load is over, each time in a new process. */
export async function measureMemory(
  files: Files,
  { plan, driver, requests }: { readonly plan: Plan; readonly driver: DriverName; readonly requests: RequestPorts },
): Promise<MemoryFigures> {
  const small = { peer: peers.postern, messages: keyMessages(endpoints.orders.path), load: plan.warmUp.busy };
  const large = { peer: peers['postern-signatures'], messages: hmacMessages(tenMiB), load: LARGE };
  const path = join(files.directory, 'memory.messages');
  const residentAfter = async ({ peer, messages, load }: typeof large): Promise<number> => {
    await writeMessages(path, messages(requests));
    await using service = await startPeer(peer, files);
    const { address } = service;
    const { checks, allowed } = await drive(driver, { address, messages: path, headers: files.headers }, load);
    if (checks !== allowed) throw new Error(`${memoryName}: ${String(checks - allowed)} checks were not allowed`);
    await delay(IDLE_SECONDS * 1000);
    return readMemory(service.pid).residentMiB;
  };
  const seen = { afterChecks: [] as number[], afterLargeBodies: [] as number[] };
  try {
    for (let round = 0; round < Math.min(plan.rounds, MOST_ROUNDS); round += 1) {
      seen.afterChecks.push(await residentAfter(small));
      seen.afterLargeBodies.push(await residentAfter(large));
    }
  } finally {
    rmSync(path, { force: true });
  }
  return { afterChecksMiB: median(seen.afterChecks), afterLargeBodiesMiB: median(seen.afterLargeBodies) };
}
