import assert from 'node:assert/strict';
import { MongoClient } from 'mongodb';
import type { RefusalCode } from '../../../src/check/refusal.ts';
import { createRefusalSink } from '../../../src/stores/mongodb/refusals.ts';
import { createReplicaRegister } from '../../../src/stores/mongodb/replicas.ts';
import { createTrafficSink } from '../../../src/stores/mongodb/traffic.ts';
import type { TrafficCount } from '../../../src/model/traffic-count.ts';
import type { ConsoleStack } from './console-stack.ts';

const HOUR = 3600;
/** Seven days of them have counts. */
const HOURS = 7 * 24;

/** Ids that pages can be opened with. */
export interface FixedData {
  /** Of a credential of `acme` that ends within 30 days. */
  readonly credential: string;
  /** Of a refusal of `acme`. */
  readonly requestId: string;
  /** Of the change that issued a credential of `acme`. */
  readonly event: string;
  /** The id of the token of the operator `paula`. */
  readonly token: string;
}

const setup = [
  'endpoint create orders --path /orders --authentication hmac --access-condition authenticated-and-authorized --limit 100/minute/consumer --label team=payments --option clockSkewSeconds=60',
  'endpoint create invoices --host api.example.com --path /invoices --method GET --method POST --authentication parameter-signature --option mode=observe',
  'endpoint create tokens --path /reports --authentication oauth2 --limit 5000/hour/endpoint',
  'endpoint create status --path exact:/status --scenario open',
  'issuer add partner-idp --issuer https://idp.partner.example --jwks-uri https://idp.partner.example/keys --audience https://api.example.com',
  'consumer create acme --name Acme --label tier=gold',
  'consumer create globex --name Globex --label tier=silver',
  'consumer create initech --name Initech',
  'consumer disable initech',
  'credential issue --consumer acme --method hmac --id acme-hmac --expires 20d',
  'credential issue --consumer acme --method key --id acme-key',
  'credential issue --consumer globex --method parameter-signature --id globex-sign',
  'grant add --endpoint orders --consumer acme --limit 1000/minute --reason OPS-17',
  'grant add --endpoint orders --consumer globex --expires 90d',
  'operator add paula --role viewer --label team=payments',
  'plan create gold --label tier=gold --limit 50000/month --limit 50/second',
];

/** What an operator finds after some days: endpoints, partners, what they called and what was refused, and two replicas. */
export async function fillConsole(
  { postern }: Pick<ConsoleStack, 'postern'>,
  uri: string,
  nowSeconds: number,
): Promise<FixedData> {
  for (const command of setup) await postern(command);
  await using client = await new MongoClient(uri).connect();
  const db = client.db();
  const sink = createTrafficSink(db);
  const nowHour = Math.floor(nowSeconds / HOUR);
  // A process reports an hour at a time: a document takes each of its reports once.
  for (let back = 0; back < HOURS; back += 1) await sink.add(trafficOf(nowHour - back), back + 1);
  await createRefusalSink(db).write(refusals(nowSeconds * 1000));
  for (const [name, unreadiness] of [
    ['gateway-0', null],
    ['gateway-1', 'MongoDB does not answer'],
  ] as const) {
    const identity = {
      name,
      isOwnName: true,
      version: '0.1.0',
      startedAtSeconds: nowSeconds - 40 * HOUR,
      maxStaleSeconds: 86_400,
    };
    await createReplicaRegister(db, identity).report({
      revision: { latest: unreadiness === null ? 14 : 11, underWay: [] },
      ...{ mode: unreadiness === null ? 'following' : 'waiting', unreadiness },
    });
  }
  const events = JSON.parse(await postern('audit list --consumer acme -o json')) as readonly { event: string }[];
  const paula = JSON.parse(await postern('operator show paula -o json')) as { tokens?: readonly { id: string }[] };
  const token = paula.tokens?.[0]?.id ?? '';
  return { credential: 'acme-hmac', requestId: requestIdOf(0), event: events[0]?.event ?? '', token };
}

/** What stands for the parameters of a path, so that its page has something to show. */
export function pathOf(pattern: string, { credential, requestId, event, token }: FixedData): string {
  const ids: Readonly<Record<string, string>> = {
    ...{ consumers: 'acme', endpoints: 'orders', credentials: credential, operators: 'paula' },
    ...{ refusals: requestId, audit: event, plans: 'gold', issuers: 'partner-idp' },
  };
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const named: Readonly<Record<string, string>> = { endpoint: 'orders', holder: 'acme', consumer: 'acme', token };
    const id = named[name] ?? ids[pattern.split('/')[1] ?? ''];
    assert.ok(id !== undefined, `it is not known what ${pattern} can be opened with`);
    return id;
  });
}

/** Busier by day than at night; the same in every run. */
function trafficOf(hour: number): readonly TrafficCount[] {
  const busy = 40 + Math.round(35 * Math.sin(((hour % 24) - 8) * (Math.PI / 12)));
  const orders = { ALLOWED: busy * 10, AUTHENTICATION_FAILED: busy % 7, RATE_LIMITED: busy > 60 ? 75 : 0 };
  const invoices = { ALLOWED: busy * 3, REQUEST_EXPIRED: busy % 30 };
  return [
    { endpointId: 'orders', consumerId: null, hour, codes: orders },
    { endpointId: 'orders', consumerId: 'acme', hour, codes: orders },
    { endpointId: 'invoices', consumerId: null, hour, codes: invoices },
    { endpointId: 'invoices', consumerId: 'globex', hour, codes: invoices },
  ];
}

function requestIdOf(index: number): string {
  return `baac2dab-20a4-46e5-ae98-41a4cbf83e${String(index).padStart(2, '0')}`;
}

const refused: readonly (readonly [RefusalCode, string, string])[] = [
  ['REQUEST_EXPIRED', 'invoices', 'the signed time is 412 s before the server time, and 300 s are allowed'],
  ['AUTHENTICATION_FAILED', 'orders', 'the signature is not that of the request'],
  ['RATE_LIMITED', 'orders', 'the limit of 1000 requests per minute is reached'],
  ['NOT_AUTHORIZED', 'orders', 'the consumer has no grant on the endpoint'],
];

function refusals(nowMs: number): Parameters<ReturnType<typeof createRefusalSink>['write']>[0] {
  return refused.map(([code, endpointId, detail], index) => ({
    id: (BigInt(Math.floor(nowMs / 1000)) * 2n ** 64n + BigInt(index)).toString(16).padStart(24, '0'),
    atMs: nowMs - (index + 1) * 11 * 60_000,
    requestId: requestIdOf(index),
    ...{ code, endpointId, detail, method: 'POST', path: `/${endpointId}/42` },
    consumerId: endpointId === 'orders' ? 'acme' : 'globex',
    credentialId: endpointId === 'orders' ? 'acme-hmac' : 'globex-sign',
    ...{ isObserved: endpointId === 'invoices', sourceAddress: '192.0.2.17', stringToSign: null, leftOut: 0 },
  }));
}
