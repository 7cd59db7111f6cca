import assert from 'node:assert/strict';
import { join } from 'node:path';
import { createApi } from '../../../src/operators/api/app.ts';
import type { ApiObserver } from '../../../src/operators/api/ports.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openStore } from '../../../src/cli/store/open-store.ts';
import { createConsole } from '../../../src/operators/console/console.ts';
import { Jobs } from '../../../src/operators/console/jobs/jobs.ts';
import type { ConsoleSession } from '../../../src/operators/console/ports.ts';
import { ApiListener } from '../../../src/operators/process/listener.ts';
import type { OperatorRole } from '../../../src/model/operator.ts';
import { LOOPBACK } from '../../../src/cli/programs/free-ports.ts';
import { testCursors } from '../api/memory-api.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import type { Visitor } from './browser-visitor.ts';

/** The console of `postern manage` in this process, on a database. Signing in has tests of its own. */
export interface ConsoleStack extends AsyncDisposable {
  /** The origin of the console. */
  readonly url: string;
  /** The settings of the store, for other processes on it. */
  readonly environment: { readonly POSTERN_STORE: string; readonly POSTERN_KEYRING: string };
  /** Runs a command that must succeed; gives what it prints. No argument has a blank in it. */
  postern(command: string): Promise<string>;
  /** Adds an operator, who is signed in in this browser from then on. */
  signIn(visitor: Visitor, id: string, role: OperatorRole): Promise<void>;
  /** Defects of the console. */
  readonly defects: readonly unknown[];
}

/** Starts the management process with a key ring of its own on the database of `uri`. */
export async function startConsole(uri: string): Promise<ConsoleStack> {
  return await acquireAll(async (keep) => {
    const folder = keep(await temporaryDirectory());
    const shared = { POSTERN_STORE: uri, POSTERN_KEYRING: join(folder.path, 'keyring.yaml') };
    const environment = { ...shared, POSTERN_ACTOR: 'setup' };
    const postern = async (command: string): Promise<string> => {
      const { code, out, err } = await runCli(command.split(' '), environment);
      assert.equal(code, 0, `postern ${command}: ${err}`);
      return out;
    };
    await postern(`keyring create ${environment.POSTERN_KEYRING}`);
    await postern('operator add setup --role admin --no-token');
    const wish = { store: undefined, environment, needsSecrets: 'new', command: 'manage', timeoutMs: 5000 } as const;
    const store = keep(await openStore({ ...wish, warn: (message) => assert.fail(message) }, systemClock));
    const { due, directory, refusals, replicas, once, jobs: jobStore } = store;
    assert.ok(
      due !== null &&
        directory !== null &&
        refusals !== null &&
        replicas !== null &&
        once !== null &&
        jobStore !== null,
    );
    const defects: unknown[] = [];
    const note = (error: unknown): unknown => defects.push(error);
    const observer: ApiObserver = { answered: () => undefined, defect: note, answerLost: note };
    const ports = { clock: systemClock, observer };
    const publicUrl = new URL('https://api.example.com');
    const api = createApi({
      ...{ ...ports, cursors: testCursors, store: { ...store, due, directory, refusals, replicas, once }, publicUrl },
      findUnreadiness: () => null,
    });
    const findSession = async ({ headers }: Request): Promise<ConsoleSession | null> => {
      const id = new RegExp(`${SESSION}=([a-z0-9-]+)`).exec(headers.get('cookie') ?? '')?.[1];
      const found = id === undefined ? null : await store.resources.find('operator', id);
      return found === null ? null : { operator: found.resource, csrfToken: `of ${found.resource.id}` };
    };
    const jobs = keep(new Jobs({ store: jobStore, clock: systemClock, onDefect: note }));
    const { fetch } = createConsole({ ...ports, api, findSession, jobs });
    const listener = keep(
      new ApiListener({
        ...{ fetch, clock: systemClock, isTrustedAddress: () => false },
        refuse: async (unread) => await api.fetch(new Request('http://unread.invalid/'), { unread }),
      }),
    );
    await listener.start({ kind: 'tcp', host: LOOPBACK, port: 0 }, 0o600);
    const address = listener.address();
    assert.equal(address.kind, 'tcp');
    const url = `http://${LOOPBACK}:${String(address.port)}`;
    const signIn: ConsoleStack['signIn'] = async ({ context }, id, role) => {
      await postern(`operator add ${id} --role ${role} --no-token`);
      await context.addCookies([{ name: SESSION, value: id, url }]);
    };
    return { url, environment: shared, postern, signIn, defects };
  });
}

/** Stands for the cookie of a session. */
const SESSION = 'test-operator';
