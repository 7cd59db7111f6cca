import type { Assault } from '../framework/assault.ts';
import type { Attack } from '../framework/attack.ts';
import type { AttackerRole } from '../framework/managed.ts';
import {
  manage,
  managedOf,
  manageMany,
  type ManageRequest,
  shownOutcomes,
  snapshot,
} from '../framework/operator-requests.ts';

const service = { store: 'mongodb', isManaged: true } as const;
const any = { 'if-match': '*' };
const notInTests =
  'it needs a database, and the tests of each rule are in test/unit/operators/api and test/integration/management';
/** A change reads, plans and writes in a database; a request is a third of a KiB. */
const bounds = { cpuMsPerKib: 20, cpuNoiseMs: 2000 };

type Wanted = Omit<ManageRequest, 'token'>;

const changesOfConsumers: readonly Wanted[] = [
  { method: 'POST', path: '/v1/consumers', body: { id: 'new', labels: { team: 'orders' } } },
  { method: 'PATCH', path: '/v1/consumers/acme', body: { enabled: false }, headers: any },
  { method: 'DELETE', path: '/v1/consumers/acme', headers: any },
  { method: 'POST', path: '/v1/credentials:issue', body: { consumer: 'acme', method: 'key' } },
  { method: 'POST', path: '/v1/credentials/acme-hmac:rotate', body: {}, headers: any },
  { method: 'POST', path: '/v1/credentials/acme-hmac:revoke', headers: any },
  { method: 'POST', path: '/v1/grants', body: { endpoint: 'orders', consumer: 'acme' } },
];

const changesOfEndpoints: readonly Wanted[] = [
  { method: 'PATCH', path: '/v1/endpoints/orders', body: { enabled: false }, headers: any },
  { method: 'DELETE', path: '/v1/endpoints/orders', headers: any },
  { method: 'PUT', path: '/v1/endpoints/orders/limits', body: { limits: [] }, headers: any },
];

const changesOfOperators: readonly Wanted[] = [
  { path: '/v1/operators' },
  { method: 'POST', path: '/v1/operators', body: { id: 'mine', role: 'admin' } },
  { method: 'PATCH', path: '/v1/operators/root', body: { enabled: false }, headers: any },
  { method: 'DELETE', path: '/v1/operators/root', headers: any },
  { method: 'POST', path: '/v1/operators/root/tokens:issue', body: {} },
];

/** What another team has, and what would reach beyond the own one. */
const beyondReach: readonly Wanted[] = [
  ...['consumers/globex', 'endpoints/payments', 'credentials/globex-hmac', 'grants/payments/globex'].map((path) => ({
    path: `/v1/${path}`,
  })),
  { method: 'PATCH', path: '/v1/consumers/globex', body: { labels: { team: 'orders' } }, headers: any },
  { method: 'DELETE', path: '/v1/grants/payments/globex', headers: any },
  { method: 'POST', path: '/v1/credentials/globex-hmac:revoke', headers: any },
  { method: 'POST', path: '/v1/consumers', body: { id: 'free' } },
  { method: 'POST', path: '/v1/grants', body: { endpoint: 'payments', consumer: 'acme' } },
  { method: 'POST', path: '/v1/grants', body: { endpoint: 'orders', consumerSelector: { tier: 'gold' } } },
  { method: 'PATCH', path: '/v1/consumers/acme', body: { labels: { team: null } }, headers: any },
  { method: 'PATCH', path: '/v1/consumers/acme', body: { labels: { team: 'payments' } }, headers: any },
];

/** An endpoint that would take what another team serves. */
const taking: Wanted = {
  method: 'POST',
  path: '/v1/endpoints',
  body: {
    ...{ id: 'wide', authentication: 'hmac', labels: { team: 'orders' } },
    match: { paths: [{ exact: '/payments' }] },
  },
};

const forbidden: Readonly<Record<AttackerRole, readonly Wanted[]>> = {
  viewer: [
    ...[...changesOfConsumers, ...changesOfEndpoints, ...changesOfOperators],
    ...[{ path: '/v1/audit' }, { path: '/v1/refusals' }],
  ],
  support: [...changesOfConsumers, ...changesOfEndpoints, ...changesOfOperators],
  operator: [...changesOfEndpoints, ...changesOfOperators, ...beyondReach],
  admin: [...changesOfOperators, ...beyondReach, taking],
};

/** Keys that are paths, reserved words or commands elsewhere, on resources that the attacker may change. */
const oddKeys: readonly Wanted[] = [
  ...[
    'match.paths',
    'labels.$set',
    'labels.team',
    'options.mode',
    '$set',
    '$where',
    'constructor',
    '__proto__',
  ].flatMap((key) =>
    ['consumers/acme', 'endpoints/orders'].map((path) => ({
      ...{ method: 'PATCH', path: `/v1/${path}`, headers: any },
      body: `{${JSON.stringify(key)}:{"team":"payments"}}`,
    })),
  ),
  { method: 'POST', path: '/v1/consumers', body: '{"id":"x","labels":{"team":"orders","__proto__":"y"}}' },
];

/** Bodies that are too large, too deep, too many, or of another kind. */
function oversize(): readonly Wanted[] {
  const create = (more: object): Wanted => ({
    ...{ method: 'POST', path: '/v1/consumers' },
    body: { id: 'huge', labels: { team: 'orders' }, ...more },
  });
  return [
    create({ name: 'a\u202eb' }),
    create({ labels: { team: 'orders', 'a\u0000': 'b' } }),
    { method: 'POST', path: '/v1/consumers', body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` },
    {
      method: 'POST',
      path: '/v1/consumers',
      body: `{"id":"deep","labels":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`,
    },
    { ...create({}), headers: { 'content-encoding': 'gzip' } },
    { ...create({}), headers: { 'content-type': 'application/json; charset=utf-16' } },
    { ...create({}), path: `/v1/consumers?reason=${'r'.repeat(2000)}` },
    { path: `/v1/consumers?cursor=${'c'.repeat(4000)}` },
    // The last: its connection ends.
    create({ name: 'n'.repeat(300_000) }),
  ];
}

const UNANSWERED = 'no answer';

/** The answer to such a body may meet a connection that the sender has given up. */
function isTooLarge({ body }: Wanted): boolean {
  return JSON.stringify(body ?? '').length > 256 * 1024;
}

/** Sends what must be refused as each of some roles, and sees that nothing has changed. */
async function refuses(
  assault: Assault,
  roles: readonly AttackerRole[],
  wantedOf: (role: AttackerRole) => readonly Wanted[],
): Promise<void> {
  const { tokens } = managedOf(assault);
  const before = await snapshot(assault);
  await assault.begin();
  for (const role of roles) {
    for (const wanted of wantedOf(role)) {
      const outcome = await manage(assault, { ...wanted, token: tokens[role] }).catch(() => UNANSWERED);
      const what = `${role}: ${wanted.method ?? 'GET'} ${wanted.path.slice(0, 60)} is refused`;
      assault.expect(what, outcome.startsWith('4') || (outcome === UNANSWERED && isTooLarge(wanted)), outcome);
    }
  }
  const after = await snapshot(assault);
  assault.expect('nothing was changed', after === before, after === before ? 'the same' : 'another state');
}

/** Of one address and one kind (docs/manage.md), when a minute ends in between. */
const MOST_OF_TWO_MINUTES = 1200;

const every: readonly AttackerRole[] = ['viewer', 'support', 'operator', 'admin'];

/** Operators of each role who mean harm, and strangers at the management API. */
export const operatorAttacks: readonly Attack[] = [
  {
    name: 'operators-roles',
    title: 'each role asks for everything that it must not do',
    ...{ service, bounds, notInTests },
    run: async (assault) => {
      await refuses(assault, every, (role) => forbidden[role]);
    },
  },
  {
    name: 'operators-keys',
    title: 'keys of documents that are paths, commands or reserved words elsewhere',
    ...{ service, bounds, notInTests },
    run: async (assault) => {
      await refuses(assault, ['admin'], () => oddKeys);
    },
  },
  {
    name: 'operators-oversize',
    title: 'bodies and addresses that are too large, too deep or of another kind',
    ...{ service, bounds, notInTests },
    run: async (assault) => {
      await refuses(assault, ['operator'], oversize);
    },
  },
  {
    name: 'operators-floods',
    title: 'one token and one address ask without end; so do images of a web page, and probes',
    ...{ service, bounds, notInTests },
    run: async (assault) => {
      const { tokens, rootToken } = managedOf(assault);
      const total = assault.amount(5000, MOST_OF_TWO_MINUTES + 100);
      await assault.begin();
      const images = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
      const floods: Readonly<Record<string, ManageRequest>> = {
        'one token': { path: '/v1/operators/me', token: tokens.viewer, source: '203.0.113.67' },
        images: { path: '/consumers', headers: images },
        probes: { path: '/readyz' },
      };
      for (const [what, request] of Object.entries(floods)) {
        const outcomes = await manageMany(
          assault,
          Array.from({ length: total }, () => request),
        );
        const slowed = [...outcomes].reduce(
          (sum, [outcome, count]) => sum + (outcome.startsWith('429') ? count : 0),
          0,
        );
        assault.expect(`${what}: most are slowed down`, slowed >= total - MOST_OF_TWO_MINUTES, shownOutcomes(outcomes));
        const failed = [...outcomes.keys()].filter((outcome) => outcome.startsWith('5') || outcome === UNANSWERED);
        assault.expect(`${what}: each is answered`, failed.length === 0, shownOutcomes(outcomes));
      }
      for (const [where, source] of [
        ['behind the address of the images', undefined],
        ['elsewhere', '198.51.100.9'],
      ] as const) {
        const of = source === undefined ? {} : { source };
        const own = await manage(assault, { path: '/v1/operators/me', token: rootToken, ...of });
        assault.expect(`an operator ${where} is served`, own === '200', own);
      }
    },
  },
];
