import { release } from '../../test/support/lifetime/release.ts';
import { type Attack, type ServiceKind, serviceKindOf } from './attack.ts';
import type { AssaultReport } from './assault.ts';
import type { AttackerQuestion } from './attacker.ts';
import { type Bounds, type CallersReport, defaultBounds, type Measurement } from './bounds.ts';
import type { CallersAnswer, CallersQuestion } from './good-callers.ts';
import { type Service, startService, type Usage } from './service.ts';
import { startWorker, type Worker } from './worker.ts';

/** How a lab attacks. */
export interface LabOptions {
  /** Short forms, on a service that attacks of the same kind share, without waiting for memory to come down. */
  readonly isShort: boolean;
}

/** Where services are attacked: the attackers in one process, the good callers in another. */
export interface Lab extends AsyncDisposable {
  /** Attacks and measures. What it needed is closed afterwards. */
  measure(attack: Attack): Promise<Measurement>;
}

const BEFORE_MS = { whole: 2000, short: 100 };
/** A service that has just started compiles; what it costs then is not what good callers cost. */
const WARM_MS = 2000;
/** Timers and garbage of what was sent last. */
const REST_MS = { whole: 6000, short: 400 };
const AFTERWARDS_MS = { whole: 300, short: 60 };
const MEMORY_DEADLINE_MS = 30_000;
const MEMORY_EVERY_MS = 250;
/** An attack that takes longer has failed. */
const ATTACK_DEADLINE_MS = { whole: 300_000, short: 60_000 };
/** Good callers wait so long; the bounds judge how long it took. A machine may have much else to do. */
const CALL_DEADLINE_MS = { whole: 30_000, short: 25_000 };

type Attackers = Worker<AttackerQuestion, AssaultReport | null>;
type Callers = Worker<CallersQuestion, CallersAnswer>;

/** Opens a lab. */
export function openLab({ isShort }: LabOptions): Lab {
  const length = isShort ? 'short' : 'whole';
  let attackers: Attackers | undefined;
  let callers: Callers | undefined;
  const services = new Map<string, Service>();
  /** What good callers alone cost. */
  const resting = new WeakMap<Service, { readonly cpuMs: number; readonly work: number }>();

  const serviceFor = async (kind: ServiceKind): Promise<Service> => {
    const name = JSON.stringify(kind);
    const there = services.get(name);
    if (there !== undefined) return there;
    const service = await startService(kind);
    services.set(name, service);
    return service;
  };
  const leave = async (service: Service): Promise<void> => {
    for (const [name, each] of services) if (each === service) services.delete(name);
    await release(service);
  };

  const measure = async (attack: Attack): Promise<Measurement> => {
    attackers ??= await startWorker(new URL('./attacker.ts', import.meta.url));
    callers ??= await startWorker(new URL('./good-callers.ts', import.meta.url));
    const service = await serviceFor(serviceKindOf(attack));
    const { target } = service;
    try {
      await callers.ask({ kind: 'start', target, deadlineMs: CALL_DEADLINE_MS[length] });
      await delay(BEFORE_MS[length]); // connections, compiled code
      let rest = resting.get(service);
      if (rest === undefined) {
        await delay(WARM_MS);
        await callers.ask({ kind: 'report' });
        const from = await service.usage();
        await delay(REST_MS[length]);
        const { cpuMs } = difference(from, await service.usage());
        rest = { cpuMs, work: workOf((await callers.ask({ kind: 'report' })).report) };
        resting.set(service, rest);
      } else await callers.ask({ kind: 'report' });

      const good = callers;
      const start = await service.usage();
      let begun = start;
      let { sentKib: sentBefore } = await callers.ask({ kind: 'sent' });
      let failure: string | null = null;
      const report = await withDeadline(
        Promise.race([
          attackers.ask({ kind: 'attack', name: attack.name, target, isShort }, async () => {
            begun = await service.usage();
            sentBefore = (await good.ask({ kind: 'sent' })).sentKib;
          }),
          ended(service).then(() => null),
        ]),
        ATTACK_DEADLINE_MS[length],
      ).catch((error: unknown) => {
        failure = error instanceof Error ? error.message : String(error);
        return null;
      });
      await delay(AFTERWARDS_MS[length]);
      const end = await service.usage().catch(() => null);
      const sentKibMeanwhile = (await callers.ask({ kind: 'sent' })).sentKib - sentBefore;
      const { report: during } = await callers.ask({ kind: 'stop' });
      if (during === null) throw new Error('the good callers were not started');
      if (report === null) await attackers[Symbol.asyncDispose]();
      else await attackers.ask({ kind: 'end' });
      if (report === null) attackers = undefined;

      const isAlive = end !== null && (await isAnswering(service));
      const share = rest.work === 0 ? 0 : workOf(during) / rest.work;
      const used = end === null ? null : difference(begun, end);
      const peak = end?.peakMib ?? 0;
      const afterMib = !isAlive ? 0 : isShort ? end.residentMib : await settledMib(service, boundsOf(attack).afterMib);
      const sentKib = (report?.bytes ?? 0) / 1024;
      const costSentKib = ((report?.bytes ?? 0) - (report?.beforehand.bytes ?? 0)) / 1024;
      // What a service that closed connections never read is no excuse for what it spent.
      const readKib = used === null ? 0 : used.readKib - sentKibMeanwhile;
      const costKib = report?.isRead === true ? costSentKib : Math.max(0, Math.min(costSentKib, readKib));
      return {
        sent: { kib: sentKib, frames: report?.frames ?? 0, connections: report?.connections ?? 0 },
        cost: {
          cpuMs: used === null ? 0 : Math.max(0, used.cpuMs - rest.cpuMs * share),
          callersCpuMs: rest.cpuMs * share,
          kib: costKib,
          connections: (report?.connections ?? 0) - (report?.beforehand.connections ?? 0),
        },
        waitedMs: end === null ? 0 : end.waitedMs - start.waitedMs,
        peakMib: peak,
        afterMib,
        callers: during,
        isAlive,
        failure,
        expectations: report?.expectations ?? [],
      };
    } finally {
      const isDead = !(await isAnswering(service));
      if (!isShort || isDead) await leave(service);
    }
  };
  return {
    measure,
    [Symbol.asyncDispose]: async () => {
      await release(...services.values(), attackers, callers);
    },
  };
}

/** The bounds of an attack. */
export function boundsOf({ bounds = {} }: Attack): Bounds {
  return { ...defaultBounds, ...bounds };
}

function difference(from: Usage, to: Usage): Usage {
  return { ...to, cpuMs: to.cpuMs - from.cpuMs, readKib: to.readKib - from.readKib };
}

/** What a new connection costs, in calls: those to the OAuth2 and admin listeners speak HTTP/1.1, and get a token. */
const CALLS_A_CONNECTION = 10;

/** How much the service worked for good callers, in calls. */
function workOf(report: CallersReport | null): number {
  const { calls, newConnections } = report ?? {};
  return (calls?.outcomes['ok'] ?? 0) + CALLS_A_CONNECTION * (newConnections?.outcomes['ok'] ?? 0);
}

async function ended({ process: { pid } }: Service): Promise<void> {
  while (isRunning(pid)) await delay(MEMORY_EVERY_MS);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

async function isAnswering({ process: { adminPort } }: Service): Promise<boolean> {
  const signal = AbortSignal.timeout(CALL_DEADLINE_MS.short);
  return await fetch(`http://127.0.0.1:${String(adminPort)}/livez`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Resident memory when it has come down to this, or does not within half a minute. */
async function settledMib(service: Service, wantedMib: number): Promise<number> {
  const deadline = performance.now() + MEMORY_DEADLINE_MS;
  for (;;) {
    const { residentMib } = await service.usage();
    if (residentMib <= wantedMib || performance.now() > deadline) return residentMib;
    await delay(MEMORY_EVERY_MS);
  }
}

async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`the attack was not over in ${String(ms / 1000)} s`));
    }, ms);
  });
  return await Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}

async function delay(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
