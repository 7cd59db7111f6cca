import { fileURLToPath } from 'node:url';
import { startChild } from '../../test/support/process/child-process.ts';
import { goProgram } from '../peers/go-build.ts';
import type { Command } from '../peers/peer.ts';

/** How a service is driven: this many calls at once, until `checks` are done or `seconds` are over. */
export interface Load {
  readonly connections: number;
  /** Calls at once on each connection. */
  readonly streams: number;
  readonly checks: number;
  readonly seconds: number;
  /** Calls a second, by the clock; as many as are answered without it. Only through Envoy. */
  readonly rate?: number;
}

/** A service and what it is sent. */
export interface Target {
  readonly address: string;
  /** File of gRPC messages or, for Envoy, HTTP requests, each with a prefix of five bytes. */
  readonly messages: string;
  /** File of the header fields of a gRPC call. */
  readonly headers: string;
}

/** What the driver saw. */
export interface Drive {
  readonly checks: number;
  readonly seconds: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Answers by what they say. */
  readonly allowed: number;
  readonly denied: number;
  readonly undecided: number;
  /** Calls without a good answer, and what was wrong with the first. */
  readonly failed: number;
  readonly failure: string;
  /** The first `CheckResponse`, or the body of the first HTTP answer, in base64. */
  readonly firstReply: string;
  /** CPU time of the driver itself. */
  readonly driverUsPerCheck: number;
}

/** The programs that can drive; both take the same arguments and print the same. */
export const drivers = {
  go: { title: 'bench/peers/go/drive', program: goProgram('drive'), args: [] },
  node: {
    title: 'bench/driver/node-drive.ts (slower than the services: trust CPU per check only)',
    program: process.execPath,
    args: ['--import', 'tsx', fileURLToPath(new URL('node-drive.ts', import.meta.url))],
  },
} as const satisfies Record<string, { title: string; program: string; args: readonly string[] }>;

export type DriverName = keyof typeof drivers;

/** Calls a service once; rejects when it could not be called to the end. */
export async function drive(driver: DriverName, target: Target, load: Load): Promise<Drive> {
  const { program, args } = drivers[driver];
  return (await runDriver(program, args, { ...target, ...load })) as Drive;
}

/** Sends HTTP requests to Envoy once, one at a time on each connection; rejects when not all were answered. */
export async function driveHttp({ address, messages }: Target, load: Load): Promise<Drive> {
  const { connections, checks, seconds, rate = 0 } = load;
  const values = { address, messages, connections, checks, seconds, rate };
  return (await runDriver(goProgram('httpdrive'), [], values)) as Drive;
}

/** Runs a program that does its work alone once, as often as a driver would make calls; rejects when it fails. */
export async function runAlone(
  { program, args }: Command,
  { messages }: Pick<Target, 'messages'>,
  { checks, seconds }: Pick<Load, 'checks' | 'seconds'>,
): Promise<Drive> {
  return (await runDriver(program, args, { messages, checks, seconds })) as Drive;
}

/** Runs a program that drives, with a flag for each value, and gives the JSON that it prints; rejects when it fails. */
export async function runDriver(program: string, args: readonly string[], values: object): Promise<unknown> {
  const flags = Object.entries(values).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const child = await startChild({ command: program, args: [...args, ...flags] });
  const { code } = await child.ended;
  if (code !== 0) throw new Error(`the driver failed: ${child.stderr().trim()}`);
  return JSON.parse(child.stdout());
}
