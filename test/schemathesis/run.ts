import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installServices } from '../../services/install-services.mjs';
import { startConsole } from '../../src/cli/demo/demo-console.ts';
import { OwnedParts } from '../../src/gateway/parts.ts';
import { packageFiles } from '../../src/cli/programs/servers.ts';
import { freePorts } from '../../src/cli/programs/free-ports.ts';
import { Program, type ProgramStart } from '../../src/cli/programs/program.ts';
import { startSourceRelay } from './source-relay.ts';

/** `npm run test:schemathesis`. Exit code 0 only when no check failed. */
const usage = `Usage: npm run test:schemathesis -- [--seconds N] [--seed N] [--only PATH-PATTERN] [--report FOLDER]

Starts MongoDB with the partners of the demo and "postern manage", and lets schemathesis try the API by its OpenAPI document:
every check, requests that keep to the document and requests that do not, and sequences of them.

  --seconds  for how long; 600 unless given
  --seed     of the requests; another one each time unless given
  --only     only paths that fit this regular expression
  --report   writes every request and answer there, without tokens
`;

const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const MIN_SECONDS = 30;

interface Options {
  readonly seconds: number;
  readonly seed: string | undefined;
  readonly only: string | undefined;
  readonly report: string | undefined;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) {
    process.stderr.write(usage);
    return 2;
  }
  const { mongodb, schemathesis } = await installServices(['mongodb', 'schemathesis']);
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      stopped.abort(new Error(`interrupted by ${name}`));
    });
  }
  await using parts = new OwnedParts();
  const tail = { text: '' };
  const run = async (start: ProgramStart): Promise<void> => {
    const program = parts.own(await Program.start(start));
    program.onOutput((piece) => {
      if (start.title === 'Management') tail.text = (tail.text + piece).slice(-200_000);
    });
    const fault = await program.ready(start.isReady, stopped.signal);
    if (fault !== null) throw new Error(`${start.title} ${fault}`);
  };
  const [mongodbPort = 0, managePort = 0] = await freePorts(2);
  const plan = { ports: { mongodb: mongodbPort, manage: managePort }, mongodbProgram: mongodb };
  const { token } = await startConsole(plan, { document: packageFiles.document, parts, run, signal: stopped.signal });
  const relay = parts.own(await startSourceRelay(managePort));
  const folder = await mkdtemp(join(tmpdir(), 'postern-schemathesis-'));
  try {
    const code = await runSchemathesis(schemathesis, options, { port: relay.port, token, folder, stopped });
    for (const line of tail.text.split('\n').filter((each) => each.includes('"level":"error"'))) {
      process.stdout.write(`${line}\n`);
    }
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: 'string', default: '600' },
        seed: { type: 'string' },
        only: { type: 'string' },
        report: { type: 'string' },
      },
    });
    const seconds = Number(values.seconds);
    if (!Number.isInteger(seconds) || seconds < MIN_SECONDS) return null;
    return { seconds, seed: values.seed, only: values.only, report: values.report };
  } catch {
    return null;
  }
}

interface Target {
  readonly port: number;
  readonly token: string;
  /** Where it runs, and may leave files. */
  readonly folder: string;
  readonly stopped: AbortController;
}

async function runSchemathesis(program: string, options: Options, target: Target): Promise<number> {
  const base = `http://127.0.0.1:${String(target.port)}`;
  const args = [
    ...['--config-file', config, 'run', `${base}/openapi.json`, '--url', base, '--checks', 'all', '--mode', 'all'],
    // One connection for each request, and so one address: the throttle of the API is not what is tried here.
    ...['--header', 'Connection: close', '--continue-on-failure', '--workers', '1', '--no-color'],
    ...['--max-time', String(options.seconds), '--generation-database', 'none'],
    ...(options.seed === undefined ? [] : ['--seed', options.seed]),
    ...(options.only === undefined ? [] : ['--include-path-regex', options.only]),
    ...(options.report === undefined ? [] : ['--report', 'ndjson,json', '--report-dir', options.report]),
  ];
  const { PATH, HOME, LANG } = process.env;
  const child = spawn(program, args, {
    cwd: target.folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH, HOME, LANG, POSTERN_TOKEN: target.token },
  });
  target.stopped.signal.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 130;
}
