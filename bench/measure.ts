import { isDeepStrictEqual } from 'node:util';
import { CheckResponse } from '../src/gen/envoy/service/auth/v3/external_auth.ts';
import { drive, type Drive, driveHttp, type DriverName, type Load, runAlone, type Target } from './driver/driver.ts';
import { type LoadName, loadNames, type Plan } from './loads.ts';
import type { Command } from './peers/peer.ts';
import { type Memory, readCpuUs, readMemory } from './process/figures.ts';
import { loadNamesOf, type RequestPorts, type Row, wayOf } from './row.ts';

/** A row whose service runs and whose messages are written. */
export interface PreparedRow {
  readonly row: Row;
  /** The processes whose CPU time and memory, added up, are the figures of the row. */
  readonly pids: readonly number[];
  /** Null without an Envoy. */
  readonly envoyPid: number | null;
  /** The program of a row without a service; else null. */
  readonly program: Command | null;
  readonly target: Target;
  /** Called before each load: signs old messages again, and makes new ones where each load is sent others. */
  readonly renewMessages: () => Promise<void>;
}

/** One measurement of one row. */
export interface Sample {
  /** CPU time of the service for one check, user and system. */
  readonly cpuUs: number;
  readonly checksPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly driverUs: number;
  /** CPU time of Envoy for one request; null without an Envoy. */
  readonly envoyUs: number | null;
}

/** Samples by the loads of a row. */
export type Samples = Readonly<Partial<Record<LoadName, readonly Sample[]>>>;

/** All measurements of one row, by round. */
export interface Measured {
  readonly row: Row;
  readonly samples: Samples;
  /** Of the service after the last round. */
  readonly memory: Memory;
}

/** What a measurement needs besides the rows. */
export interface MeasurePorts {
  readonly driver: DriverName;
  readonly requests: RequestPorts;
  /** Called with what is going on, in a few words. */
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
  for (const each of prepared.filter(({ program }) => program === null)) {
    ports.onProgress(`warming up: ${each.row.name}`);
    for (const load of loadNamesOf(each.row)) {
      const { checks, ...warmUp } = plan.warmUp[load];
      await each.renewMessages();
      // A row of large bodies too: V8 goes by how often code runs, not by what it costs.
      await driveRow(each, boundCalls({ ...warmUp, checks: checks * each.pids.length }, each.row), ports.driver);
    }
  }
  const samples = new Map<Row, Partial<Record<LoadName, Sample[]>>>(prepared.map(({ row }) => [row, {}]));
  for (let round = 1; round <= plan.rounds; round += 1) {
    for (const load of loadNames) {
      for (const each of prepared.filter(({ row }) => loadNamesOf(row).includes(load))) {
        ports.onProgress(`round ${String(round)} of ${String(plan.rounds)}, ${load}: ${each.row.name}`);
        await each.renewMessages();
        const ofRow = samples.get(each.row);
        if (ofRow !== undefined)
          (ofRow[load] ??= []).push(await sample(each, boundLoad(plan.loads[load], each.row), ports.driver));
      }
    }
  }
  return prepared.map(({ row, pids }) => ({ row, samples: samples.get(row) ?? {}, memory: memoryOf(pids) }));
}

function memoryOf(pids: readonly number[]): Memory {
  const all = pids.map(readMemory);
  return {
    residentMiB: all.reduce((sum, { residentMiB }) => sum + residentMiB, 0),
    peakMiB: all.reduce((sum, { peakMiB }) => sum + peakMiB, 0),
  };
}

async function sample(each: PreparedRow, load: Load, driver: DriverName): Promise<Sample> {
  const { pids, envoyPid, program } = each;
  const cpuUsOfAll = (): number => pids.reduce((sum, pid) => sum + readCpuUs(pid), 0);
  const beforeUs = cpuUsOfAll();
  const envoyBeforeUs = envoyPid === null ? null : readCpuUs(envoyPid);
  const driven = await driveRow(each, load, driver);
  const usedUs = cpuUsOfAll() - beforeUs;
  return {
    cpuUs: program === null ? usedUs / driven.checks : driven.driverUsPerCheck,
    checksPerSecond: driven.checks / driven.seconds,
    p50Us: driven.p50Us,
    p99Us: driven.p99Us,
    driverUs: driven.driverUsPerCheck,
    envoyUs: envoyPid === null || envoyBeforeUs === null ? null : (readCpuUs(envoyPid) - envoyBeforeUs) / driven.checks,
  };
}

/** Drives a row, and takes nothing but the expected answer to every call. */
async function driveRow({ row, target, program }: PreparedRow, load: Load, driver: DriverName): Promise<Drive> {
  const driven = await driveOnce();
  const { checks, failed, failure } = driven;
  if (failed > 0) throw new Error(`${row.name}: ${String(failed)} of ${String(checks)} calls failed: ${failure}`);
  const right = driven[row.expect.decision];
  if (checks === 0 || right !== checks) {
    throw new Error(`${row.name}: ${String(right)} of ${String(checks)} answers were ${row.expect.decision}`);
  }
  return driven;

  function driveOnce(): Promise<Drive> {
    if (program !== null) return runAlone(program, target, load);
    return wayOf(row) === 'direct' ? drive(driver, target, load) : driveHttp(target, load);
  }
}

/** A load within the bounds of a row. */
export function boundLoad(load: Load, row: Pick<Row, 'atMost'>): Load {
  const checks = Math.min(load.checks, row.atMost?.checks ?? Infinity);
  return { ...boundCalls(load, row), checks };
}

/** A load with as few calls at once as a row wants: fewer on a connection first, then fewer connections. */
function boundCalls(load: Load, { atMost }: Pick<Row, 'atMost'>): Load {
  if (atMost === undefined) return load;
  const { callsAtOnce } = atMost;
  return {
    ...load,
    connections: Math.min(load.connections, callsAtOnce),
    streams: Math.max(1, Math.min(load.streams, Math.floor(callsAtOnce / load.connections))),
  };
}

const one: Load = { connections: 1, streams: 1, checks: 1, seconds: 10 };

/** Looks at one answer of each row: an answer that is fast and wrong must not be measured. */
async function verify(prepared: readonly PreparedRow[], { driver, requests }: MeasurePorts): Promise<void> {
  const answers = new Map<string, unknown>();
  for (const each of prepared) {
    const { row } = each;
    const { firstReply } = await driveRow(each, one, driver);
    if (each.program !== null) continue;
    const reply = Buffer.from(firstReply, 'base64');
    let fault: string | null | undefined;
    if (wayOf(row) === 'direct') {
      const answer = CheckResponse.decode(reply);
      fault = row.expect.verify?.(answer, requests);
      answers.set(row.name, answer);
    } else {
      const received = reply.toString('latin1');
      fault = row.expect.verifyReceived?.(received, requests);
      answers.set(row.name, received);
    }
    if (fault !== null && fault !== undefined) {
      throw new Error(`${row.name}: the answer is wrong: ${fault}: ${JSON.stringify(answers.get(row.name))}`);
    }
  }
  for (const { row } of prepared) {
    const other = row.sameAnswerAs === undefined ? undefined : answers.get(row.sameAnswerAs);
    if (other !== undefined && !isDeepStrictEqual(answers.get(row.name), other)) {
      throw new Error(`${row.name} and ${row.sameAnswerAs ?? ''} do not answer the same`);
    }
  }
}
