import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { openStore } from '../../../src/cli/store/open-store.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { type CommandResult, type Given, runCli } from '../../unit/cli/run-cli.ts';
import { type Certified, makeCertificate } from '../grpc/certificate.ts';
import { ringText, testKeyRingHolder } from '../keyring/test-key-ring.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type DatabaseInUse, useDatabase } from '../mongodb/use-database.ts';

type Environment = Readonly<Record<string, string>>;

/** A database with the management API in front of it, on TLS: commands reach it by both doors. */
export interface TwoDoors {
  readonly database: DatabaseInUse;
  readonly folder: () => string;
  /** Of commands that open the database itself, with its key ring. */
  readonly direct: () => Environment;
  /** Of commands that have nothing but the address, the authority and a token. */
  readonly remote: (token: string) => Environment;
  readonly run: (command: readonly string[], environment: Environment, given?: Given) => Promise<CommandResult>;
  /** Adds an operator at the database; gives the token. `flags`: such as `--role viewer`. */
  readonly newOperator: (id: string, flags: string) => Promise<string>;
}

/** Gives the calling `describe` a database of its own with both doors. */
export function useTwoDoors(): TwoDoors {
  const database = useDatabase();
  const authority: Certified = makeCertificate('authority');
  const server = makeCertificate('management', authority);
  let folder: TemporaryDirectory;
  let management: Management;
  let origin = '';
  const path = (name: string): string => join(folder.path, name);
  const direct = (): Environment => ({
    POSTERN_STORE: database.uri(),
    POSTERN_KEYRING: path('keyring.yaml'),
    POSTERN_ACTOR: 'ada',
  });
  const newOperator = async (id: string, flags: string): Promise<string> => {
    const words = ['operator', 'add', id, ...flags.split(' '), '-o', 'json'];
    const { code, out, err } = await runCli(words, direct());
    assert.equal(code, 0, err);
    return (JSON.parse(out) as { token: { token: string } }).token.token;
  };

  before(async function () {
    this.timeout(60_000);
    folder = await temporaryDirectory();
    await writeFile(path('keyring.yaml'), ringText(), { mode: 0o600 });
    await writeFile(path('ca.pem'), authority.cert);
    await writeFile(path('tls.crt'), server.cert);
    await writeFile(path('tls.key'), server.key, { mode: 0o600 });
    await newOperator('first', '--role admin');
    const environment = {
      ...direct(),
      POSTERN_MANAGE_ADDRESS: '127.0.0.1:0',
      POSTERN_MANAGE_TLS_CERTIFICATE: path('tls.crt'),
      POSTERN_MANAGE_TLS_KEY: path('tls.key'),
    };
    const parsed = parseConfig(environment);
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const wish = { store: undefined, environment, needsSecrets: 'new', command: 'manage', timeoutMs: 10_000 } as const;
    management = await startManagement({
      config: parsed.config,
      clock: systemClock,
      logger: createLogger('error', { write: () => undefined }),
      store: await openStore({ ...wish, warn: (message) => assert.fail(message) }, systemClock),
      keyRing: testKeyRingHolder(),
    });
    const { address } = management;
    origin = `https://localhost:${String(address.kind === 'tcp' ? address.port : 0)}`;
  });
  after(async () => {
    await release(management, folder);
  });

  return {
    database,
    folder: () => folder.path,
    direct,
    remote: (token) => ({ POSTERN_STORE: origin, POSTERN_STORE_CA: path('ca.pem'), POSTERN_TOKEN: token }),
    run: async (command, environment, given) => await runCli(command, environment, given),
    newOperator,
  };
}
