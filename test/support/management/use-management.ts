import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCli } from '../../unit/cli/run-cli.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type DatabaseInUse, useDatabase } from '../mongodb/use-database.ts';
import { type ManagementProcess, startManagementProcess } from './management-process.ts';

/** An answer of the management API, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a JSON object; empty otherwise. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is sent besides method and path. */
export interface Sent {
  /** Of an operator; none: no `Authorization`. */
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A management process on a database of its own, for the tests of one `describe`. */
export interface ManagementInUse {
  readonly database: DatabaseInUse;
  readonly port: () => number;
  /** Of the admin listener. */
  readonly adminPort: () => number;
  /** The path of its key ring. */
  readonly ring: () => string;
  /** Everything it logged so far. */
  readonly logs: () => string;
  /** Runs a command on the same database; it must succeed without a warning. Gives what it prints. */
  readonly run: (command: string) => Promise<string>;
  /** Adds an operator; gives the token. `flags`: such as `--role viewer --label team=orders`. */
  readonly newOperator: (id: string, flags: string) => Promise<string>;
  readonly ask: (method: string, path: string, sent?: Sent) => Promise<Answer>;
}

/**
 * Starts the built `postern manage` for the calling `describe`. `route`: the address by which it reaches its
 * database, from the direct one.
 */
export function useManagement(
  route: (uri: string) => Promise<string> = (uri) => Promise.resolve(uri),
): ManagementInUse {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let management: ManagementProcess | undefined;
  let environment: Readonly<Record<`POSTERN_${string}`, string>> = {};

  const run = async (command: string): Promise<string> => {
    const { code, out, err } = await runCli(command.split(' '), environment);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  };
  const running = (): ManagementProcess => {
    assert.ok(management !== undefined, 'the management process is there within tests only');
    return management;
  };
  const port = (): number => running().port;

  before(async function () {
    this.timeout(60_000);
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    await run('operator add first --role admin --no-token');
    management = await startManagementProcess({ ...environment, POSTERN_STORE: await route(database.uri()) });
  });
  after(async () => {
    await release(management, folder);
  });

  return {
    database,
    port,
    adminPort: () => running().adminPort,
    ring: () => environment['POSTERN_KEYRING'] ?? '',
    logs: () => running().logs(),
    run,
    newOperator: async (id, flags) => {
      const { token } = JSON.parse(await run(`operator add ${id} ${flags} -o json`)) as {
        readonly token: { readonly token: string };
      };
      return token.token;
    },
    ask: async (method, path, { token, body, headers = {} } = {}) => {
      const answer = await fetch(`http://127.0.0.1:${String(port())}${path}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = /^application\/(problem\+)?json/.test(answer.headers.get('content-type') ?? '');
      return {
        ...{ status: answer.status, headers: answer.headers, text },
        body: isJson ? (JSON.parse(text) as Answer['body']) : {},
      };
    },
  };
}
