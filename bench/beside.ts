import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireAll } from '../test/support/lifetime/release.ts';
import { drivePace, type Latencies, type Pace } from './driver/pace.ts';
import { endpoints, keyCallers } from './fixtures/document.ts';
import type { Files } from './fixtures/files.ts';
import { spread } from './fixtures/partners.ts';
import { messagesToSign } from './message-rows.ts';
import { startPeer } from './peers/peer.ts';
import { type PeerName, peers } from './peers/peers.ts';
import { keyTarget } from './requests/key-requests.ts';
import { MessageFile } from './requests/messages.ts';
import { hmacRequest, octets } from './requests/signed-requests.ts';
import type { RequestPorts, Row } from './row.ts';
import { median, medianRatio } from './statistics.ts';

const MIB = 1024 * 1024;
const KEY_CHECKS_PER_SECOND = 500;
const SECONDS = 3;
const VARIETY = { small: 1000, large: 4 } as const;

/** Checks at a steady rate. */
interface Traffic {
  readonly title: string;
  readonly perSecond: number;
  readonly messages: Row['messages'];
}

/** Key checks alone, and then beside each of others, on another connection of the same service. */
interface Beside {
  readonly peer: PeerName;
  readonly keyChecks: Row['messages'];
  readonly others: readonly Traffic[];
}

const besides = {
  'small-beside-large': {
    peer: 'postern-signatures',
    keyChecks: ({ partners, edit }) =>
      spread(partners, VARIETY.small).map(({ appKey }) => edit({ path: keyTarget(endpoints.orders.path, appKey) })),
    others: [
      {
        title: 'hmac with 10 MiB',
        perSecond: 5,
        messages: ({ partners, edit }) =>
          spread(partners, VARIETY.large).map((partner, at) => edit(hmacRequest(partner, at, octets(10 * MIB, at)))),
      },
    ],
  },
  'key-beside-signatures': {
    peer: 'postern-p256',
    keyChecks: callersWithKeys,
    others: [
      { title: 'as many key checks', perSecond: 2000, messages: callersWithKeys },
      { title: 'P-256 signatures', perSecond: 2000, messages: messagesToSign('p256') },
    ],
  },
} as const satisfies Readonly<Record<string, Beside>>;

/** The names by which `--rows` asks for {@link measureBeside}. */
export type BesideName = keyof typeof besides;
export const besideNames = Object.keys(besides) as readonly BesideName[];

/** Latencies of key checks, in one of its settings; medians over the rounds. */
export interface BesideFigures {
  readonly title: string;
  readonly keyChecks: Latencies;
  /** p99 of the key checks against that of those alone, within each round; null of those alone. */
  readonly p99ToAlone: number | null;
  /** Of what is beside them; null where nothing is. */
  readonly others: Latencies | null;
}

/** What was measured, by name; alone first. */
export type BesideResults = Readonly<Partial<Record<BesideName, readonly BesideFigures[]>>>;

/** In a report. */
export function besideTitle(name: BesideName): string {
  return `${name}: key checks, ${String(KEY_CHECKS_PER_SECOND)}/s`;
}

/** How long key checks wait while others arrive. */
export async function measureBeside(
  name: BesideName,
  files: Files,
  { requests, rounds }: { readonly requests: RequestPorts; readonly rounds: number },
): Promise<readonly BesideFigures[]> {
  const { peer, keyChecks, others }: Beside = besides[name];
  await using started = await acquireAll(async (keep) => {
    const service = keep(await startPeer(peers[peer], files));
    const write = (at: number, messages: Row['messages']): MessageFile => {
      const path = join(files.directory, `beside-${String(at)}.messages`);
      keep({ [Symbol.asyncDispose]: () => rm(path, { force: true }) });
      return new MessageFile(path, () => messages(requests));
    };
    const small = write(0, keyChecks);
    const settings = others.map((traffic, at) => ({ ...traffic, file: write(at + 1, traffic.messages) }));
    return { service, small, settings };
  });
  const { service, small, settings } = started;
  const drive = async (setting: (typeof settings)[number] | null): ReturnType<typeof drivePace> => {
    await small.renew();
    await setting?.file.renew();
    const pace: Pace = {
      address: service.address,
      messages: small.path,
      rate: KEY_CHECKS_PER_SECOND,
      seconds: SECONDS,
      large: setting?.file.path ?? '',
      largeRate: setting?.perSecond ?? 0,
    };
    return await drivePace(pace);
  };
  const seen = [null, ...settings].map((setting) => ({
    setting,
    keyChecks: [] as Latencies[],
    others: [] as Latencies[],
  }));
  for (const { setting } of seen) await drive(setting);
  for (let round = 0; round < rounds; round += 1) {
    for (const each of seen) {
      const paced = await drive(each.setting);
      each.keyChecks.push(paced.small);
      if (paced.large !== undefined) each.others.push(paced.large);
    }
  }
  const p99Of = (list: readonly Latencies[]): readonly number[] => list.map(({ p99Us }) => p99Us);
  const alone = p99Of(seen[0]?.keyChecks ?? []);
  return seen.map((each) => ({
    title: each.setting === null ? 'alone' : `beside ${each.setting.title}, ${String(each.setting.perSecond)}/s`,
    keyChecks: medians(each.keyChecks),
    p99ToAlone: each.setting === null ? null : medianRatio(p99Of(each.keyChecks), alone),
    others: each.setting === null ? null : medians(each.others),
  }));
}

/** Partners with an App Key for the method key beside their public keys. */
function callersWithKeys({ partners, edit }: RequestPorts): readonly Buffer[] {
  return keyCallers(partners).map(({ appKey }) => edit({ path: keyTarget(endpoints.orders.path, appKey) }));
}

function medians(list: readonly Latencies[]): Latencies {
  const of = (name: keyof Latencies): number => median(list.map((each) => each[name]));
  return { calls: of('calls'), p50Us: of('p50Us'), p99Us: of('p99Us'), maxUs: of('maxUs') };
}
