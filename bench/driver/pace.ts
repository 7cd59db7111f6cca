import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { goProgram } from '../peers/go-build.ts';

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

/** Drives a service once; rejects when a call was not allowed. */
export async function drivePace(pace: Pace): Promise<Paced> {
  const args = Object.entries(pace).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const child = spawn(goProgram('pace'), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  const [code, output, complaint] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`the paced driver failed: ${complaint.trim()}`);
  return JSON.parse(output) as Paced;
}
