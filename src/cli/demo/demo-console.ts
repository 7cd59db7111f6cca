import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import type { OwnedParts } from '../../gateway/parts.ts';
import { LOOPBACK } from '../programs/free-ports.ts';
import { describeExit, Program, type ProgramStart } from '../programs/program.ts';
import { type ConsolePorts, manageStart, mongodbStart, packageFiles, REPLICA_SET } from '../programs/servers.ts';
import { DemoFailure } from './demo-failure.ts';

/** The operator of the demo. */
const OPERATOR = 'demo';
/** Longer than anyone looks at a demo. */
const TOKEN_LIFETIME = '1d';

/** Where MongoDB and the console listen, and the program of the former. */
export interface DemoConsolePlan {
  readonly ports: ConsolePorts;
  readonly mongodbProgram: string;
}

/** A console that runs. */
export interface DemoConsole {
  readonly address: string;
  /** Of an operator who may do everything. */
  readonly token: string;
  /** What a Postern that serves from the same database is given. */
  readonly storeSettings: Readonly<Record<'POSTERN_STORE' | 'POSTERN_KEYRING', string>>;
}

interface ConsolePorter {
  /** The path of the declarative file. */
  readonly document: string;
  readonly parts: OwnedParts;
  /** Starts a server, waits until it is ready, and ends the demo with it. */
  readonly run: (start: ProgramStart) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Starts a MongoDB of its own with the endpoints and partners of the demo, and the management process, with an
 * operator. Its files are in a folder that goes with `parts`.
 */
export async function startConsole(
  { ports, mongodbProgram }: DemoConsolePlan,
  { document, parts, run, signal }: ConsolePorter,
): Promise<DemoConsole> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'));
  parts.own({
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true });
    },
  });
  const database = join(folder, 'mongodb');
  await mkdir(database);
  await run(mongodbStart(mongodbProgram, ports.mongodb, database));
  const storeSettings = {
    POSTERN_STORE: `mongodb://${LOOPBACK}:${String(ports.mongodb)}/postern?replicaSet=${REPLICA_SET}`,
    POSTERN_KEYRING: join(folder, 'keyring.yaml'),
  };
  const environment = { ...storeSettings, POSTERN_ACTOR: OPERATOR };
  const node = async (title: string, ...args: readonly string[]): Promise<string> =>
    await outputOf(title, args, environment, signal);
  await node('The set-up of MongoDB', packageFiles.databaseSetup, document);
  const added = await node(
    'postern operator add',
    ...[
      packageFiles.postern,
      'operator',
      'add',
      OPERATOR,
      '--role',
      'admin',
      '--expires',
      TOKEN_LIFETIME,
      '-o',
      'json',
    ],
  );
  const { token } = JSON.parse(added) as { readonly token: { readonly token: string } };
  await run(manageStart(storeSettings, ports.manage));
  return { address: `http://${LOOPBACK}:${String(ports.manage)}`, token: token.token, storeSettings };
}

/** What a program of Node prints. Rejects with a {@link DemoFailure} that has its errors when it fails. */
async function outputOf(
  title: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  await using program = await Program.start({ program: execPath, args, environment });
  const texts = { stdout: '', stderr: '' };
  program.onOutput((piece, stream) => {
    texts[stream] += piece;
  });
  const stop = (): void => {
    program.signal('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  const exit = await program.ended;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (exit.code === 0) return texts.stdout;
  throw new DemoFailure(`${title} failed with ${describeExit(exit)}:\n${texts.stderr}`);
}
