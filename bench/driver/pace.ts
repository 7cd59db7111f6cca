import { goProgram } from '../peers/go-build.ts';
import { runDriver } from './driver.ts';

/** Calls at a steady rate, begun by the clock whether earlier ones were answered or not. */
export interface Pace {
  readonly address: string;
  /** File of gRPC messages, each with its prefix of five bytes. */
  readonly messages: string;
  readonly rate: number;
  readonly seconds: number;
  /** Other messages, on a connection of their own. */
  readonly large: string;
  /** 0 for none of them. */
  readonly largeRate: number;
}

/** Latencies from when calls were due. */
export interface Latencies {
  readonly calls: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

/** What was seen of each kind of messages. */
export interface Paced {
  readonly small: Latencies;
  readonly large?: Latencies;
}

/** Drives a service once, from this core if one is given; rejects when a call was not allowed. */
export async function drivePace(pace: Pace, core: number | null = null): Promise<Paced> {
  const program = goProgram('pace');
  const [command, ...args] = core === null ? [program] : ['taskset', '-c', String(core), program];
  return (await runDriver(command, args, pace)) as Paced;
}
