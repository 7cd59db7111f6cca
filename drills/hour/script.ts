import { setTimeout as delay } from 'node:timers/promises';
import type { AssaultReport } from '../../attacks/framework/assault.ts';
import type { AttackerQuestion } from '../../attacks/framework/attacker.ts';
import { goodSource } from '../../attacks/framework/document.ts';
import { startWorker } from '../../attacks/framework/worker.ts';
import type { Fleet } from '../../test/support/fleet/fleet.ts';
import { type Certified, makeCertificate } from '../../test/support/grpc/certificate.ts';
import type { LocalServer } from '../../test/support/process/local-server.ts';
import type { LogLine } from '../../test/support/stack/postern-process.ts';
import { poll } from '../../test/support/time/poll.ts';
import type { SecretVolume } from '../../test/support/tls/secret-volume.ts';
import { bringRing } from '../framework/bring-ring.ts';
import type { SmallDisk } from './small-disk.ts';

/** What the hour happens to. */
export interface Theatre {
  readonly fleet: Fleet;
  readonly rateLimitService: LocalServer;
  readonly disk: SmallDisk;
  readonly authority: Certified;
  readonly certificates: { readonly postern: SecretVolume; readonly envoy: SecretVolume };
  /** How long the whole takes. */
  readonly totalMs: number;
  readonly signal: AbortSignal;
}

/** Something that happens once. */
export interface Happening {
  /** When, as a part of the whole. */
  readonly at: number;
  readonly title: string;
  readonly make: (theatre: Theatre) => Promise<void>;
}

/** The longest that something is out of order; shorter where the whole is. */
const OUTAGE_MS = 60_000;
const OUTAGE_SHARE = 0.06;

const rest = async ({ signal }: Theatre, ms: number): Promise<void> => {
  await delay(ms, undefined, { signal }).catch(() => undefined);
};

const outageMs = ({ totalMs }: Theatre): number => Math.min(OUTAGE_MS, totalMs * OUTAGE_SHARE);

/**
 * When minute ten of an hour is: from then on no process that is measured is replaced, so that it can be compared with
 * the end.
 */
export const MEASURED_FROM = 1 / 6;

/** What happens, in order. */
export const script: readonly Happening[] = [
  { at: 0.02, title: 'replica 1 is restarted', make: (theatre) => restart(theatre, 0) },
  { at: 0.09, title: 'replica 2 is restarted', make: (theatre) => restart(theatre, 1) },
  { at: 0.2, title: 'the certificates of Postern and Envoy are renewed', make: renewCertificates },
  {
    at: 0.26,
    title: 'the key ring gets a key, which is not used yet',
    make: async ({ fleet }) => {
      await fleet.postern('keyring', 'rotate', '--stage');
      await bringRings(fleet);
    },
  },
  {
    at: 0.32,
    title: 'the key is used, and every secret sealed with it',
    make: async ({ fleet }) => {
      await fleet.postern('keyring', 'rotate', '--promote');
      await bringRings(fleet);
      await fleet.postern('keyring', 'rewrap');
    },
  },
  { at: 0.4, title: 'the primary steps down', make: ({ fleet }) => fleet.mongodb.stepDown() },
  {
    at: 0.48,
    title: 'the rate limit service is killed, and comes back',
    make: async (theatre) => {
      await theatre.rateLimitService.kill();
      await rest(theatre, outageMs(theatre));
      await theatre.rateLimitService.restart();
    },
  },
  {
    at: 0.57,
    title: 'the clock of replica 1 is two seconds ahead, and right again',
    make: async (theatre) => {
      theatre.fleet.replicas[0]?.process.signal('SIGUSR2');
      await rest(theatre, outageMs(theatre));
      theatre.fleet.replicas[0]?.process.signal('SIGUSR2');
    },
  },
  { at: 0.65, title: 'a hostile peer floods the gRPC listener of replica 2', make: attack },
  {
    at: 0.75,
    title: "the disk of MongoDB's primary is full, and has room again",
    make: async (theatre) => {
      const { disk, fleet } = theatre;
      await poll('the member with the small disk to be the primary', async () => {
        if ((await fleet.mongodb.primary()) === disk.member) return true;
        await fleet.mongodb.command({ replSetStepUp: 1 }, disk.member).catch(() => null);
        return null;
      });
      await disk.fill();
      await rest(theatre, outageMs(theatre));
      await disk.clear();
    },
  },
];

async function restart({ fleet }: Theatre, at: number): Promise<void> {
  await fleet.replicas[at]?.stop();
  await fleet.replicas[at]?.start();
  await fleet.healthy(fleet.replicas.length);
}

async function bringRings(fleet: Fleet): Promise<void> {
  for (const at of fleet.replicas.keys()) await bringRing(fleet, at);
}

async function renewCertificates({ fleet, certificates, authority }: Theatre): Promise<void> {
  const isTaken = ({ message }: LogLine): boolean => message === 'new connections take the changed TLS certificate';
  await Promise.all([
    ...fleet.replicas.map(({ process }) => process.nextLogLine(isTaken)),
    certificates.postern.update({ own: makeCertificate('postern', authority) }),
    certificates.envoy.update({ own: makeCertificate('envoy', authority) }),
  ]);
}

/** Streams that are opened and reset at once, again and again (CVE-2023-44487). */
async function attack(theatre: Theatre): Promise<void> {
  const process = theatre.fleet.replicas[1]?.process;
  if (process === undefined) throw new Error('a fleet has two replicas');
  const { grpcPort, httpPort, adminPort } = process;
  const listeners = { grpcPort, httpPort: httpPort ?? 0, adminPort, ca: theatre.authority.cert };
  const target = { ...listeners, unseenKeys: [], goodSource, managed: null };
  await using attackers = await startWorker<AttackerQuestion, AssaultReport | null>(
    new URL('../../attacks/framework/attacker.ts', import.meta.url),
  );
  const untilMs = performance.now() + outageMs(theatre);
  do {
    const report = await attackers.ask({ kind: 'attack', name: 'rapid-reset', target, isShort: true });
    if ((report?.frames ?? 0) === 0) throw new Error('the hostile peer sent nothing');
    await attackers.ask({ kind: 'end' });
    await rest(theatre, 1000);
  } while (performance.now() < untilMs && !theatre.signal.aborted);
}
