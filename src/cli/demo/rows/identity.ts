import type { ClientHeader } from '../../../check/signing/client-request.ts';
import { demoKeys, type Finding, plainRequest, type RowGroup } from '../row.ts';
import type { Exchange } from '../exchange.ts';

/** Headers of a caller that claims to be another one. */
const forged: readonly ClientHeader[] = [
  ['X-Consumer-Id', 'admin'],
  ['x_consumer_username', 'root'],
  ['X-Authenticated-Groups', 'admins'],
];

/** Identity headers are Postern's to set (spec §4.3). */
export const identityRows: RowGroup = {
  title: 'Forged identity headers',
  rows: [
    {
      title: 'with a right key',
      expected: '200 as acme',
      request: (moment) => plainRequest(moment, 'GET', `/orders?appKey=${demoKeys.acme}`, forged),
      examine: (exchange) =>
        compareIdentity(exchange, {
          'x-consumer-id': 'acme',
          'x-consumer-username': 'Acme Ltd',
          'x-credential-identifier': 'acme-key',
        }),
    },
    {
      title: 'on an open endpoint',
      expected: '200 as nobody',
      request: (moment) => plainRequest(moment, 'GET', '/status', forged),
      examine: (exchange) => compareIdentity(exchange, {}),
    },
  ],
};

function compareIdentity({ echo }: Exchange, wanted: Readonly<Record<string, string>>): Finding {
  const [received, right] = [echo?.headers ?? {}, wanted].map(describe);
  return {
    notes: [
      `sent ${forged.map(([name, value]) => `${name}: ${value}`).join(', ')}`,
      `back end received ${String(received)}`,
    ],
    fault: received === right ? null : `the back end should have received ${String(right)}`,
  };
}

function describe(identity: Readonly<Record<string, string>>): string {
  const texts = Object.entries(identity).map(([name, value]) => `${name}: ${value}`);
  return texts.length === 0 ? 'no identity header' : texts.sort().join(', ');
}
