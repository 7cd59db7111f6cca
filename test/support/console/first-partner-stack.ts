import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCli } from '../../unit/cli/run-cli.ts';
import { startEnvoy } from '../envoy/envoy.ts';
import { send } from '../http/http-client.ts';
import type { HttpAnswer } from '../http/http-message.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { startManagementProcess } from '../management/management-process.ts';
import { startDatabase } from '../mongodb/start-database.ts';
import { signedByHmac } from '../partner/hmac.ts';
import { startPostern } from '../stack/postern-process.ts';
import { startBackend } from '../stack/recording-backend.ts';
import type { HandedOver } from './first-partner.ts';

/** Everything between an empty database and a partner's first 200, as programs of their own. */
export interface FirstPartnerStack extends AsyncDisposable {
  /** The origin of the console. */
  readonly url: string;
  /** The token of the first operator, `alice`, as `postern operator add` printed it. */
  readonly token: string;
  /** `GET /orders/1` through Envoy, as the partner signs it. */
  call(handedOver: HandedOver): Promise<HttpAnswer>;
  /** Ends `postern serve`, which first writes what it counted. */
  stopServing(): Promise<void>;
  /** What `postern manage` logged. */
  logs(): string;
}

/** Adds the first operator to an empty database, and starts `postern manage`, `postern serve`, Envoy and a back end. */
export async function startFirstPartnerStack(): Promise<FirstPartnerStack> {
  return await acquireAll(async (keep) => {
    const database = keep(await startDatabase());
    const folder = keep(await temporaryDirectory());
    const store = {
      POSTERN_STORE: database.uri,
      POSTERN_KEYRING: join(folder.path, 'keyring.yaml'),
    };
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, out, err } = await runCli(args, { ...store, POSTERN_ACTOR: 'setup' });
      assert.equal(code, 0, `postern ${args.join(' ')}: ${err}`);
      return out;
    };
    await run('keyring', 'create', store.POSTERN_KEYRING);
    const added = JSON.parse(await run('operator', 'add', 'alice', '--role', 'admin', '-o', 'json')) as {
      readonly token: { readonly token: string };
    };
    const management = keep(await startManagementProcess(store));
    const backend = keep(await startBackend());
    const postern = keep(await startPostern('', store));
    const ports = { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 1, backend: backend.port };
    const envoy = keep(await startEnvoy({ ports }));
    return {
      url: `http://127.0.0.1:${String(management.port)}`,
      token: added.token.token,
      call: async ({ appKey, appSecret: secret }) =>
        await send('HTTP/1.1', envoy.port, signedByHmac({ target: '/orders/1', appKey, secret })),
      stopServing: async () => {
        await postern.stop();
      },
      logs: () => management.logs(),
    };
  });
}
