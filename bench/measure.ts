import { isDeepStrictEqual } from 'node:util';
import { CheckResponse } from '../src/gen/envoy/service/auth/v3/external_auth.ts';
import { drive, type Drive, type DriverName, type Load, type Target } from './driver/driver.ts';
import { type LoadName, loadNames, type Plan } from './loads.ts';
import { type RunningPeer } from './peers/peer.ts';
import { type Memory, readCpuUs, readMemory } from './process/figures.ts';
import { type RequestPorts, type Row } from './row.ts';

/** A row whose service runs and whose messages are written. */
export interface PreparedRow {
  readonly row: Row;
  readonly peer: RunningPeer;
  readonly target: Target;
}

/** One measurement of one row. */
export interface Sample {
  /** CPU time of the service for one check, user and system. */
  readonly cpuUs: number;
  readonly checksPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly driverUs: number;
}

/** All measurements of one row, by round. */
export interface Measured {
  readonly row: Row;
  readonly samples: Readonly<Record<LoadName, readonly Sample[]>>;
  /** Of the service after the last round. */
  readonly memory: Memory;
}

/** What a measurement needs besides the rows. */
export interface MeasurePorts {
  readonly driver: DriverName;
  readonly requests: RequestPorts;
  /** Told what is going on, in a few words. */
  readonly onProgress: (text: string) => void;
}

/**
 * Verifies the answer of each service, warms each up, and measures row after row, round after round: what disturbs the
 * machine for a while disturbs all rows of that round.
 */
export async function measure(
  prepared: readonly PreparedRow[],
  plan: Plan,
  ports: MeasurePorts,
): Promise<readonly Measured[]> {
  await verify(prepared, ports);
  for (const each of prepared) {
    ports.onProgress(`warming up: ${each.row.name}`);
    await driveRow(each, plan.warmUp, ports.driver);
  }
  const samples = new Map(prepared.map(({ row }) => [row, { busy: [] as Sample[], calm: [] as Sample[] }]));
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const load of loadNames) {
      for (const each of prepared) {
        ports.onProgress(`round ${String(round)} of ${String(plan.rounds)}, ${load}: ${each.row.name}`);
        samples.get(each.row)?.[load].push(await sample(each, plan.loads[load], ports.driver));
      }
    }
  }
  return prepared.map(({ row, peer }) => ({
    row,
    samples: samples.get(row) ?? { busy: [], calm: [] },
    memory: readMemory(peer.pid),
  }));
}

async function sample(each: PreparedRow, load: Load, driver: DriverName): Promise<Sample> {
  const beforeUs = readCpuUs(each.peer.pid);
  const driven = await driveRow(each, load, driver);
  const usedUs = readCpuUs(each.peer.pid) - beforeUs;
  return {
    cpuUs: usedUs / driven.checks,
    checksPerSecond: driven.checks / driven.seconds,
    p50Us: driven.p50Us,
    p99Us: driven.p99Us,
    driverUs: driven.driverUsPerCheck,
  };
}

/** Drives a row, and takes nothing but the expected answer to every call. */
async function driveRow({ row, target }: PreparedRow, load: Load, driver: DriverName): Promise<Drive> {
  const { streams, checks: mostChecks } = row.atMost ?? load;
  const bounded = { ...load, streams: Math.min(load.streams, streams), checks: Math.min(load.checks, mostChecks) };
  const driven = await drive(driver, target, bounded);
  const { checks, failed, failure } = driven;
  if (failed > 0) throw new Error(`${row.name}: ${String(failed)} of ${String(checks)} calls failed: ${failure}`);
  const right = driven[row.expect.decision];
  if (checks === 0 || right !== checks) {
    throw new Error(`${row.name}: ${String(right)} of ${String(checks)} answers were ${row.expect.decision}`);
  }
  return driven;
}

const one: Load = { connections: 1, streams: 1, checks: 1, seconds: 10 };

/** Decodes one answer of each row: an answer that is fast and wrong must not be measured. */
async function verify(prepared: readonly PreparedRow[], { driver, requests }: MeasurePorts): Promise<void> {
  const answers = new Map<string, CheckResponse>();
  for (const each of prepared) {
    const { firstReply } = await driveRow(each, one, driver);
    const answer = CheckResponse.decode(Buffer.from(firstReply, 'base64'));
    const fault = each.row.expect.verify?.(answer, requests) ?? null;
    if (fault !== null) throw new Error(`${each.row.name}: the answer is wrong: ${fault}: ${JSON.stringify(answer)}`);
    answers.set(each.row.name, answer);
  }
  for (const { row } of prepared) {
    const other = row.sameAnswerAs === undefined ? undefined : answers.get(row.sameAnswerAs);
    if (other !== undefined && !isDeepStrictEqual(answers.get(row.name), other)) {
      throw new Error(`${row.name} and ${row.sameAnswerAs ?? ''} do not answer the same`);
    }
  }
}
