/** What must hold while and after a replica is attacked. */
export interface Bounds {
  /** CPU of the service for each KiB that it received, in milliseconds; that of the good callers is taken off. */
  readonly cpuMsPerKib: number;
  /** CPU that each connection may cost on top: accepting, and its handshake. */
  readonly cpuMsPerConnection: number;
  /** CPU that compiling and collecting garbage may add to any measurement. */
  readonly cpuNoiseMs: number;
  /** By how much the same good calls may cost more than before the attack: machines change their speed. */
  readonly callersCpuScatter: number;
  /** How long a good caller's call may take during the attack, in milliseconds. */
  readonly callMs: number;
  /** How long a new connection may take until its first answer. */
  readonly newConnectionMs: number;
  /** Resident memory at its highest: the limit of the deployment (deploy/base/deployment.yaml). */
  readonly peakMib: number;
  /** Resident memory that it comes down to afterwards: the request of the deployment, what a busy replica holds. */
  readonly afterMib: number;
}

/** For attacks that say nothing else. */
export const defaultBounds: Bounds = {
  cpuMsPerKib: 2,
  cpuMsPerConnection: 1,
  cpuNoiseMs: 200,
  callersCpuScatter: 0.3,
  callMs: 1000,
  newConnectionMs: 2000,
  peakMib: 1536,
  afterMib: 512,
};

/** Calls of one kind, and how long their answers took, in milliseconds. */
export interface Answers {
  /** How many of each outcome; `ok` is the one that good callers want. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** What good callers saw in a span of time: on the connection that they keep, and on new ones. */
export interface CallersReport {
  readonly calls: Answers;
  readonly newConnections: Answers;
}

/** Something that an attack itself could see, and that must be so. */
export interface Expectation {
  readonly what: string;
  readonly holds: boolean;
  readonly found: string;
}

/** What was measured of one attack. */
export interface Measurement {
  /** How often it sent what; KiB as the service read them, where the system says so. */
  readonly sent: { readonly kib: number; readonly frames: number; readonly connections: number };
  /** Since the attack called {@link Assault.begin}, without the good callers' part. */
  readonly cost: {
    readonly cpuMs: number;
    /** What was taken off for the good callers. */
    readonly callersCpuMs: number;
    readonly kib: number;
    readonly connections: number;
  };
  /** How long the service would have run, had the machine had a core for it: no fault of its own. */
  readonly waitedMs: number;
  readonly peakMib: number;
  readonly afterMib: number;
  readonly callers: CallersReport;
  readonly isAlive: boolean;
  /** What went wrong with the attack itself; null when it came to its end. */
  readonly failure: string | null;
  readonly expectations: readonly Expectation[];
}

/** The CPU that so much may cost. */
export function allowedCpuMs({ cost }: Measurement, bounds: Bounds): number {
  const { cpuMsPerKib, cpuMsPerConnection, cpuNoiseMs, callersCpuScatter } = bounds;
  const noiseMs = cpuNoiseMs + cost.callersCpuMs * callersCpuScatter;
  return noiseMs + cost.kib * cpuMsPerKib + cost.connections * cpuMsPerConnection;
}

/** Every bound that a measurement breaks, as a sentence; none when all hold. */
export function findBreaches(measured: Measurement, bounds: Bounds): readonly string[] {
  return [...findFaults(measured), ...findCpuBreaches(measured, bounds), ...findSlowness(measured, bounds)];
}

/**
 * What is wrong whatever the machine has to do beside: an end of the process, other answers, an expectation that fails.
 */
export function findFaults(measured: Measurement): readonly string[] {
  const { isAlive, failure, expectations, callers } = measured;
  const faults: string[] = [];
  if (!isAlive) faults.push('the process ended');
  if (failure !== null) faults.push(failure);
  for (const { what, holds, found } of expectations) if (!holds) faults.push(`${what}; found: ${found}`);
  for (const [who, { outcomes }] of [
    ['good calls', callers.calls],
    ['new connections', callers.newConnections],
  ] as const) {
    const others = Object.entries(outcomes).filter(([outcome]) => outcome !== 'ok');
    if (others.length > 0)
      faults.push(`${who}: ${others.map(([what, count]) => `${String(count)} × ${what}`).join(', ')}`);
    if (!('ok' in outcomes)) faults.push(`${who}: none was answered`);
  }
  return faults;
}

/** Whether the service worked more than what it received is worth. */
export function findCpuBreaches(measured: Measurement, bounds: Bounds): readonly string[] {
  const { cpuMs, kib } = measured.cost;
  const allowedMs = allowedCpuMs(measured, bounds);
  if (cpuMs <= allowedMs) return [];
  return [`CPU: ${cpuMs.toFixed(0)} ms for ${kib.toFixed(0)} KiB, at most ${allowedMs.toFixed(0)} ms`];
}

function findSlowness({ callers, peakMib, afterMib, waitedMs }: Measurement, bounds: Bounds): readonly string[] {
  const { calls, newConnections } = callers;
  const checks: readonly (readonly [what: string, found: number, most: number, unit: string])[] = [
    ['a good call took', calls.maxMs, bounds.callMs + waitedMs, 'ms'],
    ['a new connection took', newConnections.maxMs, bounds.newConnectionMs + waitedMs, 'ms'],
    ['memory at its highest', peakMib, bounds.peakMib, 'MiB'],
    ['memory afterwards', afterMib, bounds.afterMib, 'MiB'],
  ];
  return checks
    .filter(([, found, most]) => found > most)
    .map(([what, found, most, unit]) => `${what} ${found.toFixed(0)} ${unit}, at most ${most.toFixed(0)}`);
}
