/** What is sent, and the answers by status. */
interface Example {
  readonly request?: object;
  readonly answers?: Readonly<Record<string, object>>;
}

const times = { createdAt: '2026-09-21T14:13:20Z', updatedAt: '2026-09-21T14:13:20Z' };
const issued = {
  id: 'acme-hmac',
  consumer: 'acme',
  method: 'hmac',
  appKey: '58a9d53504af66d98acb38ecf6b5b5c5',
  appSecret: '(43 characters, in this answer only)',
  expiresAt: '2027-09-21T14:13:20Z',
  state: 'active',
};

/**
 * Examples by `operationId`, where a schema alone leaves a question. In their order they lead from an empty store to a
 * partner who may call, and a test sends them.
 */
export const examples: Readonly<Record<string, Example>> = {
  createEndpoint: {
    request: {
      id: 'orders',
      labels: { team: 'payments' },
      match: { paths: [{ prefix: '/orders' }] },
      authentication: 'hmac',
      accessCondition: 'authenticated-and-authorized',
    },
  },
  createConsumer: {
    request: { id: 'acme', name: 'Acme', labels: { tier: 'gold' } },
    answers: { 201: { id: 'acme', name: 'Acme', labels: { tier: 'gold' }, enabled: true, revision: 1, ...times } },
  },
  editConsumer: {
    request: { name: 'Acme Ltd' },
    answers: {
      200: {
        dryRun: false,
        revision: 4,
        changes: [
          {
            action: 'change',
            kind: 'consumer',
            id: 'acme',
            fields: [{ path: 'name', before: 'Acme', after: 'Acme Ltd' }],
          },
        ],
      },
    },
  },
  createGrant: { request: { endpoint: 'orders', consumer: 'acme' } },
  issueCredential: {
    request: { consumer: 'acme', id: 'acme-hmac', method: 'hmac', expiresAt: '365d' },
    answers: { 201: { ...issued, revision: 1 } },
  },
  showAccess: {
    answers: {
      200: {
        items: [
          {
            endpoint: 'orders',
            allowed: true,
            by: 'grant',
            grant: { endpoint: 'orders', consumer: 'acme' },
            limits: [],
            until: '2027-09-21T14:13:20Z',
            afterwards: { allowed: false, by: 'grant', grant: { endpoint: 'orders', consumer: 'acme' }, limits: [] },
            obstacles: [],
            credentials: ['acme-hmac'],
            grants: [{ endpoint: 'orders', consumer: 'acme', outcome: 'in-effect' }],
          },
        ],
        nextCursor: null,
      },
    },
  },
  importCredential: { request: { consumer: 'acme', id: 'acme-own', methods: ['key'], appKey: 'what-acme-has' } },
  rotateCredential: {
    request: { grace: '7d' },
    answers: {
      200: {
        dryRun: false,
        revision: 8,
        changes: [
          {
            action: 'change',
            kind: 'credential',
            id: 'acme-hmac',
            consumer: 'acme',
            fields: [
              { path: 'retiringSecret', before: null, after: { expiresAt: '2026-09-28T14:13:20Z' } },
              { path: 'appSecret', secret: 'changed' },
              { path: 'retiringSecret.appSecret', secret: 'set' },
            ],
          },
        ],
        formerEndsAt: '2026-09-28T14:13:20Z',
        credential: { ...issued, retiringSecret: { expiresAt: '2026-09-28T14:13:20Z' }, revision: 2 },
      },
    },
  },
  editGrant: { request: { limits: [{ requests: 100, unit: 'minute', per: 'consumer' }] } },
  setLimits: { request: { limits: [{ requests: 1000, unit: 'minute', per: 'endpoint' }] } },
  setGrantLimits: { request: { limits: [] } },
  createOperator: { request: { id: 'paula', role: 'support', selector: { team: 'payments' } } },
  editOperator: { request: { role: 'operator' } },
  issueToken: {
    request: { expiresAt: '30d' },
    answers: {
      201: {
        id: '3f9a1c02',
        token: 'pot_paula.(43 characters, in this answer only)',
        expiresAt: '2026-10-21T14:13:20Z',
      },
    },
  },
  editEndpoint: { request: { enabled: false } },
};
