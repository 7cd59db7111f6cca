import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock.ts';
import { CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import type { ConnectionEnd } from '../../../src/wire/server/connection-table.ts';
import { loadTransport } from '../../../src/wire/server/create-transport.ts';
import { Health } from '../../../src/wire/server/health.ts';
import type { Methods } from '../../../src/wire/server/transport.ts';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { allow } from '../../support/stack/check-answers.ts';
import { startEnvoy } from '../../support/envoy/envoy.ts';
import { startBackend } from '../../support/stack/recording-backend.ts';
import { startTraffic } from '../../support/load/traffic.ts';

const SERVICE = 'envoy.service.auth.v3.Authorization';
/** Each of the two or more connections of an Envoy is sent away at every look, once in two seconds. */
const ENDS = 4;

function fail(what: unknown): never {
  throw new Error(`the transport reports ${String(what)}`);
}

for (const kind of ['native', 'grpc-js'] as const) {
  describe(`connections of Envoy that are idle, over the transport ${kind}`, function () {
    this.timeout(60_000);

    it('are closed in the middle of traffic without a request that fails', async () => {
      const answer = Buffer.from(CheckResponse.encode(allow()).finish());
      const health = new Health([SERVICE]);
      health.setServing('', true);
      health.setServing(SERVICE, true);
      const methods: Methods = new Map([
        [`/${SERVICE}/Check`, { kind: 'unary', handle: () => answer, maxMessageBytes: 1_000_000 }],
        ...health.methods(),
      ]);
      const ends: ConnectionEnd[] = [];
      await using transport = (await loadTransport(kind))({
        address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
        methods,
        clock: systemClock,
        observer: { connectionRefused: fail, defect: fail, memoryRefused: fail },
        connectionObserver: {
          connectionEnded: (end) => {
            ends.push(end);
          },
        },
        // Whoever has had an answer and waits for none at the moment is idle.
        connectionLimits: { maxConnections: 100, maxOfAddress: 100, unusedMs: 60_000, idleMs: 0 },
      });
      await transport.start();
      const address = transport.address();
      assert.ok(address.kind === 'tcp');
      await using backend = await startBackend();
      await using envoy = await startEnvoy({
        attachment: envoyYaml,
        ports: { postern: address.port, posternHttp: backend.port, backend: backend.port },
      });
      await using traffic = await startTraffic(envoy.port, { target: '/orders', headers: [] });
      while (ends.length < ENDS) await traffic.more(100);
      await traffic.more(100);
      assert.deepEqual([...new Set(ends)], ['idle']);
      assert.deepEqual([...traffic.outcomes.keys()], ['200']);
    });
  });
}
