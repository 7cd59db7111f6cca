import assert from 'node:assert/strict';
import { type Operation, readOperations } from '../../support/management/operations.ts';
import { type Answer, useManagement } from '../../support/management/use-management.ts';

/** What the path of a resource names: one beyond reach, and one that is not there. */
const named: readonly (readonly [prefix: string, beyond: string, missing: string])[] = [
  ['/v1/consumers/', 'hidden-partner', 'absent-partner'],
  ['/v1/endpoints/', 'hidden-endpoint', 'absent-endpoint'],
  ['/v1/credentials/', 'hidden-key', 'absent-key'],
  ['/v1/grants/', 'hidden-endpoint/hidden-partner', 'absent-endpoint/absent-partner'],
  ['/v1/plans/', 'hidden-plan', 'absent-plan'],
  ['/v1/issuers/', 'hidden-issuer', 'absent-issuer'],
  ['/v1/operators/', 'first', 'absent-operator'],
  ['/v1/replicas/', '0123456789ab', 'ba9876543210'],
  ['/v1/audit/', 'EVENT', 'f'.repeat(24)],
  ['/v1/refusals/', '00000000-0000-4000-8000-000000000000', '11111111-1111-4111-8111-111111111111'],
];

/** Bodies that the document asks for; `{}` where it asks for nothing in particular. */
const bodies: Readonly<Record<string, unknown>> = {
  beginSession: {},
  issueToken: {},
  explainRequest: { request: 'curl http://api.example.com/' },
  setLimits: { limits: [{ requests: 1, unit: 'second', per: 'consumer' }] },
  setGrantLimits: { limits: [{ requests: 1, unit: 'second' }] },
};

/** Operations whose bodies name nothing that is there, or only what is left out. */
const NAMES_NOTHING = /^(create(Consumer|Endpoint|Operator|Plan|Issuer)|listResources|beginSession)$/;

function deletionOf(kind: string, id: string): object {
  return { action: 'test', changes: [{ kind, id, before: 1, after: null }] };
}

/** Routes that make something for what the body names: with what is beyond reach, and with what is not there. */
const references: Readonly<Record<string, readonly (readonly [beyond: object, missing: object])[]>> = {
  createGrant: [
    [
      { endpoint: 'hidden-endpoint', consumer: 'own-partner' },
      { endpoint: 'absent-endpoint', consumer: 'own-partner' },
    ],
    [
      { endpoint: 'own-endpoint', consumer: 'hidden-partner' },
      { endpoint: 'own-endpoint', consumer: 'absent-partner' },
    ],
  ],
  issueCredential: [
    [
      { consumer: 'hidden-partner', method: 'key' },
      { consumer: 'absent-partner', method: 'key' },
    ],
  ],
  changeResources: (
    [
      ['consumer', 'partner'],
      ['endpoint', 'endpoint'],
      ['credential', 'key'],
      ['plan', 'plan'],
      ['issuer', 'issuer'],
    ] as const
  ).map(([kind, what]) => [deletionOf(kind, `hidden-${what}`), deletionOf(kind, `absent-${what}`)] as const),
  compareSecrets: [
    [
      { items: [{ id: 'hidden-key', secrets: ['some-secret-of-somebody'] }] },
      { items: [{ id: 'absent-key', secrets: ['some-secret-of-somebody'] }] },
    ],
  ],
  importCredential: [
    [
      { consumer: 'hidden-partner', methods: ['key'], appKey: 'known-to-nobody-else' },
      { consumer: 'absent-partner', methods: ['key'], appKey: 'known-to-nobody-else' },
    ],
  ],
};

describe('what is beyond the reach of an operator', () => {
  const management = useManagement();
  const { ask, run } = management;
  let token = '';
  let operations: readonly Operation[] = [];
  let hiddenEvent = '';

  before(async () => {
    await run(
      'endpoint create hidden-endpoint --path /hidden --authentication key --access-condition authenticated-and-authorized --label team=hidden',
    );
    await run(
      'endpoint create own-endpoint --path /own --authentication key --access-condition authenticated-and-authorized --label team=own',
    );
    await run('consumer create hidden-partner --label team=hidden');
    await run('consumer create own-partner --label team=own');
    await run('credential issue --consumer hidden-partner --method key --id hidden-key');
    await run('credential issue --consumer own-partner --method key --id own-key');
    await run('grant add --endpoint hidden-endpoint --consumer hidden-partner');
    await run('grant add --endpoint own-endpoint --consumer own-partner');
    await run(
      'issuer add hidden-issuer --label team=hidden --issuer hidden --jwks-uri https://hidden.example/k --audience a',
    );
    await run('plan create hidden-plan --label team=hidden --endpoint-label team=hidden --limit 5/second');
    token = await management.newOperator('paula', '--role admin --label team=own');
    operations = await readOperations(management);
    const events = await management.database.db().collection('audit').find().toArray();
    hiddenEvent = String(events.find((event) => JSON.stringify(event).includes('hidden-partner'))?._id);
    assert.match(hiddenEvent, /^[0-9a-f]{24}$/);
  });

  const headers = { 'if-match': '*' };

  /** The address of an operation for what it names. */
  function addressOf(path: string, what: string): string {
    return path.replace('{tokenId}', '12ab34cd').replace(/\{.*\}/, what.replace('EVENT', hiddenEvent));
  }

  /** What an answer says, but for ids and numbers that differ by request. */
  function told({ status, text }: Answer): string {
    const same = text
      .replaceAll(/"requestId":"[^"]*"/g, '')
      .replaceAll(/\b(hidden|absent)-(partner|endpoint|key|plan|issuer)\b/g, 'some-$2')
      .replaceAll(/\b[0-9a-f]{24}\b/g, 'some')
      .replaceAll(/absent-operator|first|0{8}-0{4}-4000-8000-0{12}|1{8}-1{4}-4111-8111-1{12}|\b(1|999999)\b/g, 'some');
    return `${String(status)} ${same}`;
  }

  async function snapshot(): Promise<string> {
    const collections = await management.database.db().collections();
    const names = collections.map(({ collectionName }) => collectionName).filter((name) => name !== 'meta');
    const texts = names.sort().map(async (name) => {
      const documents = await management.database.db().collection(name).find().sort({ _id: 1 }).toArray();
      return `${name} ${JSON.stringify(documents)}`;
    });
    return (await Promise.all(texts)).join('\n');
  }

  it('answers every route that names it as if it were not there, and changes nothing', async () => {
    const before = await snapshot();
    const naming = operations.filter(({ path }) => path.includes('{'));
    assert.ok(naming.length >= 8, String(naming.length));
    for (const { id, method, path, hasBody } of naming) {
      const [prefix = '', beyond = '', missing = ''] = named.find(([each]) => path.startsWith(each)) ?? [];
      assert.ok(prefix !== '', `say in this test what ${path} names`);
      const askFor = async (what: string): Promise<Answer> => {
        return await ask(method, addressOf(path, what), {
          token,
          headers,
          ...(hasBody ? { body: bodies[id] ?? {} } : {}),
        });
      };
      const [one, other] = [await askFor(beyond), await askFor(missing)];
      assert.ok(
        (one.status === 404 && one.body['code'] === 'NOT_FOUND') ||
          (one.status === 403 && one.body['code'] === 'FORBIDDEN'),
        `${id}: ${told(one)}`,
      );
      assert.equal(told(one), told(other), id);
    }
    assert.equal(await snapshot(), before);
  });

  it('is not there for routes that name it in a body either', async () => {
    const before = await snapshot();
    for (const { id, method, path, hasBody } of operations) {
      if (!hasBody || path.includes('{') || NAMES_NOTHING.test(id)) continue;
      const pairs = references[id];
      assert.ok(pairs !== undefined, `say in this test what the body of ${id} names`);
      for (const [beyond, missing] of pairs) {
        const [one, other] = [
          await ask(method, path, { token, body: beyond }),
          await ask(method, path, { token, body: missing }),
        ];
        assert.deepEqual([one.status, one.body['code']], [404, 'NOT_FOUND'], `${id}: ${one.text}`);
        assert.equal(told(one), told(other), id);
      }
    }
    assert.equal(await snapshot(), before);
  });

  it('is in no list, whatever is asked for', async () => {
    const lists = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    assert.ok(lists.length >= 4, String(lists.length));
    for (const { id, path, parameters } of lists) {
      const queries = parameters
        .filter((parameter) => parameter.in === 'query')
        .flatMap(({ name }) => {
          if (name === 'consumer') return ['consumer=hidden-partner'];
          if (name === 'endpoint') return ['endpoint=hidden-endpoint'];
          if (name === 'label') return ['label=team%3Dhidden'];
          return name === 'q' ? ['q=hidden'] : [];
        });
      for (const query of ['', ...queries]) {
        const { status, text } = await ask('GET', `${path}?${query}`, { token });
        assert.ok([200, 403, 404].includes(status), `${id}?${query}: ${text}`);
        // A problem may repeat what was asked for, and says no more than for what is not there.
        if (status === 200) assert.ok(!text.includes('hidden-'), `${id}?${query}: ${text}`);
      }
    }
  });

  it('is reached by nobody without a token, by any route', async () => {
    for (const { method, path, hasBody } of operations) {
      const target = path.replaceAll(/\{[^}]*\}/g, 'own-partner');
      const { status, body } = await ask(method, target, { headers, ...(hasBody ? { body: {} } : {}) });
      assert.deepEqual([status, body['code']], [401, 'UNAUTHENTICATED'], `${method} ${path}`);
    }
  });

  it('is changed by no viewer, by any route', async () => {
    const viewer = await management.newOperator('vera', '--role viewer');
    const before = await snapshot();
    for (const { id, method, path, hasBody } of operations) {
      if (method === 'GET' || id === 'listResources') continue;
      const [, beyond = ''] = named.find(([prefix]) => path.startsWith(prefix)) ?? [];
      const body = bodies[id] ?? references[id]?.[0]?.[0] ?? { id: 'new' };
      const sent = { token: viewer, headers, ...(hasBody ? { body } : {}) };
      const { status, body: problem } = await ask(method, addressOf(path, beyond), sent);
      assert.deepEqual([status, problem['code']], [403, 'FORBIDDEN'], `${id}: ${JSON.stringify(problem)}`);
    }
    assert.equal(await snapshot(), before);
  });
});
