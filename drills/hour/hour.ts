import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setMaxListeners } from 'node:events';
import { sparkline } from '../../src/operators/console/parts/sparkline.ts';
import { addMutualTlsListener } from '../../test/support/certificate/mutual-tls.ts';
import { listenerPorts, TLS_LISTENER } from '../../test/support/clients/tls-listener.ts';
import { withDatabase } from '../../test/support/fleet/schema-version.ts';
import { startFleet } from '../../test/support/fleet/fleet.ts';
import { makeCertificate } from '../../test/support/grpc/certificate.ts';
import { acquireAll } from '../../test/support/lifetime/release.ts';
import { temporaryDirectory } from '../../test/support/lifetime/temporary-directory.ts';
import { openHttp1Client } from '../../test/support/load/load-client.ts';
import { startLoad } from '../../test/support/load/open-load.ts';
import { startManagementProcess } from '../../test/support/management/management-process.ts';
import { startRateLimitService } from '../../test/support/ratelimit/start-rate-limit-service.ts';
import { startRedis } from '../../test/support/ratelimit/start-redis.ts';
import { useFollowedTls, writeEnvoySecrets } from '../../test/support/tls/envoy-tls.ts';
import { mountSecret } from '../../test/support/tls/secret-volume.ts';
import { giveRings, ringOf } from '../framework/bring-ring.ts';
import type { Fault } from '../history/judge.ts';
import { seededRandom } from '../history/random.ts';
import { Answers, type Tally } from './answers.ts';
import { hourDocument, makeCallers } from './callers.ts';
import { changeAllTheTime, type ChangesReport } from './changes.ts';
import { makePast } from './past.ts';
import { growthOf, ResourceWatch } from './resources.ts';
import { MEASURED_FROM, script, type Theatre } from './script.ts';
import { giveSmallDisk } from './small-disk.ts';

/** How long, how much, and whether with a fault that must be found. */
export interface HourOptions {
  readonly minutes: number;
  readonly perSecond: number;
  readonly plant: 'wrong-answer' | null;
  readonly stop: AbortSignal;
  readonly report: (text: string) => void;
}

/** What came of it. */
export interface HourReport {
  readonly tally: Tally;
  readonly perSecond: number;
  readonly changes: ChangesReport;
  readonly past: { readonly asked: number; readonly changed: number; readonly faults: readonly Fault[] };
  /** What of the script did not happen, and why. */
  readonly missed: readonly string[];
  /** Since minute ten; 0.05 is 5 %. */
  readonly growth: { readonly memory: number; readonly descriptors: number };
  /** Where the p99 of each minute is drawn. */
  readonly picture: string;
}

const SAMPLE_MS = 2000;
const FEWEST_MS_BETWEEN_CHANGES = 1000;
const CHANGES_AN_HOUR = 1200;

/** Runs everything at once, and ends what it started. */
export async function runHour({ minutes, perSecond, plant, stop, report }: HourOptions): Promise<HourReport> {
  const totalMs = minutes * 60_000;
  await using parts = await acquireAll(async (keep) => {
    const authority = makeCertificate('authority');
    const partner = makeCertificate('partner', authority);
    const { path: folder } = keep(await temporaryDirectory());
    const certificates = {
      postern: await mountSecret(join(folder, 'postern'), {
        own: makeCertificate('postern', authority),
        ca: authority.cert,
      }),
      envoy: await mountSecret(join(folder, 'envoy'), { own: makeCertificate('envoy', authority), ca: authority.cert }),
    };
    const secrets = await writeEnvoySecrets(join(folder, 'sds'), certificates.envoy);
    const redis = keep(await startRedis());
    const rateLimitService = keep(await startRateLimitService(redis.port));
    const fleet = keep(
      await startFleet({
        members: 3,
        ringOf,
        nodeOptions: ['--import', new URL('stepped-clock.mjs', import.meta.url).href],
        settings: {
          POSTERN_TLS_CERTIFICATE: certificates.postern.certificate,
          POSTERN_TLS_KEY: certificates.postern.key,
          POSTERN_HTTP_TLS: 'true',
          POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(rateLimitService.port)}`,
        },
        editEnvoy: (config) => {
          useFollowedTls(config, secrets);
          addMutualTlsListener(config, makeCertificate('localhost', authority), authority);
        },
        prepare: async (store) => {
          const path = join(store.folder, 'hour.yaml');
          await writeFile(path, hourDocument());
          await store.postern('apply', '-f', path);
          await giveRings(store);
        },
      }),
    );
    const [, , last] = fleet.mongodb.members;
    if (last === undefined) throw new Error('the replica set has three members');
    const disk = keep(await giveSmallDisk(last));
    const { token } = JSON.parse(await fleet.postern('operator', 'add', 'root', '--role', 'admin', '-o', 'json')) as {
      readonly token: { readonly token: string };
    };
    const manage = keep(await startManagementProcess(fleet.environment));
    const port = (await listenerPorts(fleet.envoy.adminPort)).get(TLS_LISTENER) ?? 0;
    const mutualTls = keep(openHttp1Client(port, { ca: authority.cert, cert: partner.cert, key: partner.key }));
    const callers = await makeCallers(fleet, { partner, mutualTls });
    const past = await makePast(fleet, seededRandom(1));
    return { authority, certificates, rateLimitService, fleet, disk, manage, callers, past, token: token.token };
  });
  const { authority, certificates, rateLimitService, fleet, disk, manage, callers, past, token } = parts;

  const ended = new AbortController();
  const { signal } = ended;
  // Every caller waits for it.
  setMaxListeners(0, signal);
  const end = (): void => {
    ended.abort();
  };
  const timer = setTimeout(end, totalMs);
  stop.addEventListener('abort', end);
  // What the back end keeps of an hour would fill the memory.
  const forgetting = setInterval(() => {
    fleet.backend.reset();
  }, SAMPLE_MS);
  const startMs = performance.now();
  const answers = new Answers(startMs);
  const theatre: Theatre = { fleet, rateLimitService, disk, authority, certificates, totalMs, signal };
  const pids = (): ReadonlyMap<string, number> =>
    new Map([
      ...fleet.replicas.map(({ process }, at) => [`replica ${String(at + 1)}`, process.pid] as const),
      ['manage', manage.pid] as const,
    ]);
  using watch = new ResourceWatch(pids, SAMPLE_MS);
  const load = startLoad({
    port: fleet.envoy.port,
    perSecond,
    next: () => {
      const request = callers.next();
      const seen = (outcome: string, tookMs: number): void => {
        answers.note(request, outcome, tookMs, performance.now());
      };
      return { ...request, seen };
    },
  });
  const everyMs = Math.max(FEWEST_MS_BETWEEN_CHANGES, (3_600_000 / CHANGES_AN_HOUR) * Math.min(1, minutes / 60));
  const api = { port: manage.port, token };
  const recording = past.record(signal);
  recording.catch(end);
  try {
    const [changes, missed] = await Promise.all([
      changeAllTheTime({ fleet, callers, api, everyMs, signal }),
      happen(theatre, {
        startMs,
        report: (title) => {
          answers.lastHappening = title;
          report(title);
        },
      }),
      plant === null ? null : plantWrongAnswer(theatre, callers.revokedId),
      recording,
    ]);
    const { perSecond: reached } = await load.stop();
    const endMs = performance.now();
    await fleet.mongodb.primary();
    // Ended in order, it writes what it counted.
    for (const replica of fleet.replicas) await replica.stop();
    const span = totalMs / 12;
    const before = watch.between(startMs + totalMs * MEASURED_FROM, startMs + totalMs * MEASURED_FROM + span);
    const after = watch.between(endMs - span, endMs);
    const tally = answers.tally();
    return {
      tally,
      perSecond: reached,
      changes,
      past: { ...past.size, faults: await past.judge() },
      missed,
      growth: {
        memory: growthOf(before, after, 'residentMib'),
        descriptors: growthOf(before, after, 'descriptors'),
      },
      picture: await draw(tally.p99Ms),
    };
  } finally {
    clearTimeout(timer);
    clearInterval(forgetting);
    stop.removeEventListener('abort', end);
    end();
    await load[Symbol.asyncDispose]();
    await recording.catch(() => undefined);
  }
}

/** Lets the script happen; gives what of it did not. */
async function happen(
  theatre: Theatre,
  { startMs, report }: { readonly startMs: number; readonly report: (text: string) => void },
): Promise<readonly string[]> {
  const missed: string[] = [];
  for (const { at, title, make } of script) {
    const waitMs = startMs + at * theatre.totalMs - performance.now();
    await delay(Math.max(0, waitMs), undefined, { signal: theatre.signal }).catch(() => undefined);
    if (theatre.signal.aborted) {
      missed.push(`${title}: the time was over`);
      continue;
    }
    report(title);
    await make(theatre).catch((error: unknown) => {
      missed.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
  return missed;
}

/** Lets in again, behind Postern's back, whom the model knows as revoked. */
async function plantWrongAnswer({ fleet, totalMs, signal }: Theatre, revokedId: string): Promise<void> {
  await delay(totalMs / 2, undefined, { signal }).catch(() => undefined);
  await withDatabase(fleet, async (db) => {
    await db.collection<{ _id: string }>('credentials').updateOne({ _id: revokedId }, { $set: { state: 'active' } });
  });
}

/** The picture that the console draws of numbers over time, as a file of its own. */
async function draw(p99Ms: readonly number[]): Promise<string> {
  const picture = String(await sparkline('p99 by minute, ms', p99Ms.map(Math.round)));
  const folder = new URL('../../build/drills/', import.meta.url).pathname;
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'hour-p99.svg');
  await writeFile(path, picture.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '));
  return path;
}
