import assert from 'node:assert/strict';
import { generateAppSecret, textOf } from '../../../../src/resources/changes/generate-credential.ts';
import { apiNow, itemsOf, type MemoryApi, namesIn, testCursors } from '../../../support/api/memory-api.ts';
import { day, twoTeams } from '../../../support/api/two-teams.ts';
import { endToFind } from '../../../../src/resources/app-key-end.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { sampleCertificate } from '../../../support/certificates/samples.ts';
import { secretsIn, sharedSecret } from '../../../../src/model/material.ts';

describe('management API: credentials', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  async function secretsOf(id: string): Promise<readonly string[]> {
    const stored = await api.store.find('credential', id);
    assert.ok(stored !== null);
    const { methods, appKey, material } = stored.resource;
    const secrets = [methods.includes('key') ? appKey : null, ...secretsIn(material).values()];
    return secrets.flatMap((secret) => (secret === null ? [] : [textOf(secret)]));
  }

  it('are listed within reach, consumer by consumer, without secrets', async () => {
    const all = await api.ask('victor', 'GET', '/v1/credentials');
    assert.deepEqual(namesIn(all), ['acme-hmac', 'acme-key', 'globex-hmac', 'initech-hmac']);
    for (const id of namesIn(all) as string[]) {
      for (const secret of await secretsOf(id)) assert.ok(!JSON.stringify(all.body).includes(secret), id);
    }
    const [hmac, key, revoked] = itemsOf(all);
    assert.equal(typeof hmac?.['appKey'], 'string');
    assert.ok(key !== undefined && !('appKey' in key), 'the App Key of method key is a secret');
    assert.deepEqual([hmac?.['status'], revoked?.['status']], ['active', 'revoked']);
    assert.deepEqual(namesIn(await api.ask('paula', 'GET', '/v1/credentials')), [
      'acme-hmac',
      'acme-key',
      'globex-hmac',
    ]);
  });

  it('are listed by consumer, by endpoint, by method and by what they are worth', async () => {
    const list = async (query: string): Promise<readonly unknown[]> =>
      namesIn(await api.ask('alice', 'GET', `/v1/credentials?${query}`));
    assert.deepEqual(await list('consumer=acme'), ['acme-hmac', 'acme-key']);
    assert.deepEqual(await list('endpoint=orders'), ['acme-hmac', 'initech-hmac']);
    assert.deepEqual(await list('endpoint=orders&consumer=initech'), ['initech-hmac']);
    assert.deepEqual(await list('endpoint=orders&consumer=globex'), []);
    assert.deepEqual(await list('method=key'), ['acme-key']);
    assert.deepEqual(await list('status=revoked'), ['globex-hmac']);
    assert.deepEqual(namesIn(await api.ask('paula', 'GET', '/v1/credentials?endpoint=orders')), ['acme-hmac']);
  });

  it('are found by the last four characters of their App Key, within reach', async () => {
    const endOf = async (id: string): Promise<string> => {
      const stored = await api.store.find('credential', id);
      return endToFind(stored?.resource ?? assert.fail()) ?? assert.fail();
    };
    const find = async (by: string, end: string, more = ''): Promise<readonly unknown[]> =>
      namesIn(await api.done(by, 'GET', `/v1/credentials?appKeyEnd=${encodeURIComponent(end)}${more}`));
    assert.ok((await find('alice', await endOf('acme-hmac'))).includes('acme-hmac'));
    assert.ok(!(await find('alice', await endOf('acme-hmac'), '&consumer=initech')).includes('acme-hmac'));
    assert.ok(!(await find('alice', await endOf('acme-hmac'), '&status=revoked')).includes('acme-hmac'));
    assert.ok(!(await find('paula', await endOf('initech-hmac'))).includes('initech-hmac'));
    for (const query of ['appKeyEnd=abc', 'appKeyEnd=abcd&endpoint=orders', 'appKeyEnd=abcd&sort=-createdAt']) {
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `/v1/credentials?${query}`);
    }
  });

  it('are sorted by when they were made, end or were used, and say how many there are', async () => {
    const made = async (id: string, expiresAt: number): Promise<void> => {
      api.now += 100;
      const stored = (await api.store.find('credential', 'acme-hmac')) ?? assert.fail();
      const after = { ...stored.resource, id, appKeyHash: hashAppKey(id), appKey: Secret.fromText(id), expiresAt };
      await api.store.commit([{ kind: 'credential', id, before: null, after }], { actor: 'x', action: 'x' });
    };
    await made('acme-2', apiNow + 9 * day);
    await made('acme-1', apiNow + 5 * day);
    const pages = async (by: string, query: string): Promise<readonly unknown[]> => {
      const all: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const page = await api.done(by, 'GET', `/v1/credentials?limit=1&${query}${at}`);
        all.push(...namesIn(page));
        cursor = page.body['nextCursor'] as string | null;
      }
      return all;
    };
    assert.deepEqual((await pages('alice', 'sort=-createdAt')).slice(0, 2), ['acme-1', 'acme-2']);
    assert.deepEqual((await pages('alice', 'sort=-createdAt&consumer=acme')).slice(0, 2), ['acme-1', 'acme-2']);
    assert.deepEqual(await pages('alice', 'sort=expiresAt'), ['acme-1', 'acme-2', 'acme-hmac']);
    assert.deepEqual(await pages('alice', 'sort=certificateEndsAt'), []);
    const after = {
      id: 'acme-cert',
      consumer: 'acme',
      method: 'certificate',
      certificate: { pem: sampleCertificate.pem },
    };
    const changes = [{ kind: 'credential', id: 'acme-cert', before: null, after }];
    await api.done('alice', 'POST', '/v1/resources:change', { body: { action: 'test', changes } });
    assert.deepEqual(await pages('alice', 'sort=certificateEndsAt'), ['acme-cert']);
    api.store.usage.set('acme-2', { lastUsedAt: apiNow + day, retiringSecretLastUsedAt: null });
    assert.equal((await pages('alice', 'sort=lastUsedAt')).at(-1), 'acme-2');
    assert.ok(!(await pages('paula', 'sort=-createdAt')).includes('initech-hmac'));
    const { body } = await api.done('alice', 'GET', '/v1/credentials?limit=2');
    assert.equal(body['total'], 7);
    assert.equal((await api.done('paula', 'GET', '/v1/credentials')).body['total'], undefined);
    assert.equal((await api.done('alice', 'GET', '/v1/credentials?status=active')).body['total'], undefined);
    for (const query of [
      'sort=expiresAt&consumer=acme',
      'sort=certificateEndsAt&consumer=acme',
      'sort=-createdAt&expiringWithin=1d',
      'sort=x',
    ]) {
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `/v1/credentials?${query}`);
    }
  });

  it('are found by the hash of their App Key, within reach', async () => {
    const hashOf = async (id: string): Promise<string> =>
      (await api.store.find('credential', id))?.resource.appKeyHash ?? assert.fail();
    const find = async (by: string, hash: string, more = ''): Promise<readonly unknown[]> =>
      namesIn(await api.done(by, 'GET', `/v1/credentials?appKeyHash=${hash}${more}`));
    for (const id of ['acme-key', 'acme-hmac', 'initech-hmac'])
      assert.deepEqual(await find('alice', await hashOf(id)), [id]);
    assert.deepEqual(await find('paula', await hashOf('acme-key')), ['acme-key']);
    assert.deepEqual(await find('paula', await hashOf('initech-hmac')), []);
    assert.deepEqual(await find('alice', await hashOf('acme-key'), '&consumer=globex'), []);
    assert.deepEqual(await find('alice', '0'.repeat(64)), []);
    await api.refused('MALFORMED_REQUEST', 'alice', 'GET', '/v1/credentials?appKeyHash=AB');
  });

  it('are listed by when they end and by when they were used', async () => {
    const list = async (query: string): Promise<readonly unknown[]> =>
      namesIn(await api.ask('alice', 'GET', `/v1/credentials?${query}`));
    assert.deepEqual(await list('expiringWithin=30d'), ['acme-hmac']);
    assert.deepEqual(await list('expiringWithin=19d'), []);
    assert.deepEqual(await list('unusedFor=0'), ['acme-hmac', 'acme-key', 'initech-hmac']);
    assert.deepEqual(await list('unusedFor=90d'), []);
    api.store.usage.set('acme-hmac', { lastUsedAt: apiNow, retiringSecretLastUsedAt: null });
    assert.deepEqual(await list('unusedFor=1s'), []);
    assert.equal(
      (await api.ask('alice', 'GET', '/v1/credentials/acme-hmac')).body['lastUsedAt'],
      '2026-09-21T14:13:20Z',
    );
    const before = await api.store.find('credential', 'acme-hmac');
    assert.ok(before !== null);
    assert.deepEqual(await list('formerInUse=true'), []);
    const former = { appSecret: generateAppSecret(), expiresAt: apiNow + day };
    const after = { ...before.resource, material: sharedSecret(generateAppSecret(), former) };
    const by = { actor: 'test', action: 'test' };
    await api.store.commit([{ kind: 'credential', id: 'acme-hmac', before, after }], by);
    api.store.usage.set('acme-hmac', { lastUsedAt: apiNow, retiringSecretLastUsedAt: apiNow });
    assert.deepEqual([await list('formerInUse=true'), await list('status=rotating')], [['acme-hmac'], ['acme-hmac']]);
  });

  it('are read by what is due in full pages, the first that is due first, whoever else is there', async () => {
    const before = await api.store.find('credential', 'acme-hmac');
    assert.ok(before !== null);
    const many = Array.from({ length: 230 }, (_, index) => {
      const id = `fleet-${String(index).padStart(3, '0')}`;
      const resource = {
        ...before.resource,
        id,
        consumerId: index % 2 === 0 ? 'initech' : 'acme',
        ...{ appKey: Secret.fromText(id), appKeyHash: hashAppKey(id) },
        expiresAt: index < 6 ? apiNow + (index < 3 ? 2 : 1) * day : index < 8 ? null : apiNow + 400 * day,
      };
      return { kind: 'credential', id, before: null, after: resource } as const;
    });
    await api.store.commit(many, { actor: 'test', action: 'test' });
    const pagesOf = async (who: string, query: string): Promise<readonly (readonly unknown[])[]> => {
      const pages: (readonly unknown[])[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const at: string = next === '' ? '' : `&cursor=${next}`;
        const page = await api.done(who, 'GET', `/v1/credentials?${query}${at}`);
        pages.push(namesIn(page));
        next = page.body['nextCursor'] as string | null;
      }
      return pages;
    };
    const fleet = (...numbers: number[]): readonly string[] => numbers.map((each) => `fleet-00${String(each)}`);
    assert.deepEqual(await pagesOf('alice', 'expiringWithin=3d&limit=4'), [fleet(3, 4, 5, 0), fleet(1, 2)]);
    assert.deepEqual(await pagesOf('paula', 'expiringWithin=3d&limit=2'), [fleet(3, 5), fleet(1)]);
    const readBefore = api.store.read.consumer;
    await api.done('alice', 'GET', '/v1/credentials?expiringWithin=3d&limit=4');
    assert.equal(api.store.read.consumer, readBefore, 'no consumer is read for one who reaches all');
    const unused = await pagesOf('alice', 'unusedFor=0&limit=100');
    assert.deepEqual(
      unused.map(({ length }) => length),
      [100, 100, 33],
    );
    assert.equal(new Set(unused.flat()).size, 233);
    await api.refused(
      'MALFORMED_REQUEST',
      'alice',
      'GET',
      `/v1/credentials?unusedFor=0&cursor=${testCursors.seal('end/1/a', 'alice\0/v1/credentials')}`,
    );
  });

  it('come in pages that neither repeat nor leave out one', async () => {
    for (const limit of [1, 2, 3]) {
      const seen: unknown[] = [];
      let next: unknown = '';
      do {
        const at = next === '' ? '' : `&cursor=${String(next)}`;
        const page = await api.ask('alice', 'GET', `/v1/credentials?limit=${String(limit)}&fields=id${at}`);
        assert.ok(itemsOf(page).length <= limit);
        seen.push(...namesIn(page));
        next = page.body['nextCursor'];
      } while (next !== null);
      assert.deepEqual(seen, ['acme-hmac', 'acme-key', 'globex-hmac', 'initech-hmac'], String(limit));
    }
  });

  it('do not follow a cursor out of reach', async () => {
    const cursor = (place: string): string => testCursors.seal(place, 'paula\0/v1/credentials');
    for (const place of ['initech/', 'initech/a']) {
      assert.deepEqual(namesIn(await api.ask('paula', 'GET', `/v1/credentials?cursor=${cursor(place)}`)), []);
    }
    for (const text of ['acme', 'ACME/x', 'acme/x/y', '']) {
      const wrong = cursor(text);
      await api.refused('MALFORMED_REQUEST', 'paula', 'GET', `/v1/credentials?cursor=${wrong}`);
    }
  });

  it('are shown with the endpoints within reach that let them in', async () => {
    const shown = await api.ask('alice', 'GET', '/v1/credentials/acme-hmac');
    assert.deepEqual([shown.status, shown.headers.get('etag')], [200, '"1"']);
    assert.deepEqual(shown.body['endpoints'], ['orders', 'salaries']);
    assert.deepEqual((await api.ask('paula', 'GET', '/v1/credentials/acme-hmac')).body['endpoints'], ['orders']);
    for (const secret of await secretsOf('acme-hmac')) assert.ok(!JSON.stringify(shown.body).includes(secret));
    assert.deepEqual((await api.ask('alice', 'GET', '/v1/credentials/globex-hmac')).body['endpoints'], []);
  });

  it('do not tell what is beyond reach from what is not there', async () => {
    const beyond = await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/credentials/initech-hmac');
    const absent = await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/credentials/absent');
    assert.equal(beyond.body['detail'], 'there is no credential "initech-hmac"');
    assert.equal(absent.body['detail'], 'there is no credential "absent"');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/credentials/initech-hmac/view');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/credentials?consumer=initech');
    await api.refused('NOT_FOUND', 'paula', 'GET', '/v1/credentials?endpoint=salaries');
  });

  it('refuse queries of another form', async () => {
    for (const query of ['colour=red', 'expiringWithin=soon', 'unusedFor=9999999999w', 'method=basic', 'consumer=A']) {
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `/v1/credentials?${query}`);
    }
  });

  it('have a view for the partner: addresses, rules, signed examples and codes, and no secret', async () => {
    const { body } = await api.ask('alice', 'GET', '/v1/credentials/acme-hmac/view');
    const endpoints = body['endpoints'] as { id: string; urls: string[]; rules: Record<string, string> }[];
    assert.deepEqual(
      endpoints.map(({ id, urls }) => [id, urls]),
      [
        ['orders', ['https://api.example.com']],
        ['salaries', ['https://api.example.com']],
      ],
    );
    assert.equal(body['url'], 'https://api.example.com');
    const { requests } = body['examples'] as { requests: { sent: string }[] };
    assert.match(requests[0]?.sent ?? '', /Authorization: hmac appkey="/);
    assert.ok((body['codes'] as { code: string }[]).some(({ code }) => code === 'REQUEST_EXPIRED'));
    for (const secret of await secretsOf('acme-hmac')) assert.ok(!JSON.stringify(body).includes(secret));
    const key = await api.ask('alice', 'GET', '/v1/credentials/acme-key/view?url=http://localhost:10000');
    assert.deepEqual([key.body['url'], key.body['appKey']], ['http://localhost:10000', undefined]);
    for (const secret of await secretsOf('acme-key')) assert.ok(!JSON.stringify(key.body).includes(secret));
  });

  it('have a view that names only endpoints within reach, or why there is none', async () => {
    const { body } = await api.ask('paula', 'GET', '/v1/credentials/acme-hmac/view');
    assert.deepEqual(
      (body['endpoints'] as { id: string }[]).map(({ id }) => id),
      ['orders'],
    );
    assert.ok(!JSON.stringify(body).includes('salaries'));
    const revoked = await api.ask('paula', 'GET', '/v1/credentials/globex-hmac/view');
    const obstacle = { code: 'revoked', what: 'the credential globex-hmac is revoked' };
    assert.deepEqual([revoked.status, revoked.body['obstacle']], [200, obstacle]);
    await api.refused('MALFORMED_REQUEST', 'paula', 'GET', '/v1/credentials/acme-hmac/view?url=javascript:alert(1)');
  });

  it('have a view for an address of the gateway, whose form the document says', async () => {
    const { body } = await api.ask(null, 'GET', '/openapi.json');
    const paths = body['paths'] as Record<string, { get: { parameters: { name: string; schema: object }[] } }>;
    const { parameters } = paths['/v1/credentials/{id}/view']?.get ?? { parameters: [] };
    const schema = parameters.find(({ name }) => name === 'url')?.schema as { pattern: string };
    const pattern = new RegExp(schema.pattern);
    const long = `http://${'a'.repeat(254)}`;
    const good = ['HTTPS://Api.example.com/', 'http://10.0.0.1:65535', long];
    const addresses = [
      '::',
      '::1',
      '1::',
      '2001:db8::8a2e:370:7334',
      '1:2:3:4:5:6:7:8',
      '1:2:3:4:5:6:7::',
      '::2:3:4:5:6:7:8',
    ];
    for (const url of [...good, ...addresses.map((address) => `https://[${address}]:8443`)]) {
      assert.match(url, pattern);
      const { status, body: view } = await api.ask('alice', 'GET', viewAt(url));
      assert.deepEqual([status, view['url']], [200, url.replace(/\/$/, '').toLowerCase()]);
    }
    const bad = [
      '',
      'api.example.com',
      'ftp://a',
      'https://',
      'https://a/b',
      'https://a?b',
      'https://u:p@a',
      'https://a b',
    ];
    const hosts = [
      'https://.',
      'https://a:65536',
      'https://a:',
      'https://ä',
      'https://[1:2]',
      'https://[1::2::3]',
      `${long}a`,
    ];
    for (const url of [...bad, ...hosts, 'https://[1:2:3:4:5:6:7:8:9]', 'https://[::1']) {
      assert.doesNotMatch(url, pattern);
      const { body: problem } = await api.refused('MALFORMED_REQUEST', 'alice', 'GET', viewAt(url));
      const [error] = problem['errors'] as { pointer: string; detail: string }[];
      assert.equal(error?.pointer, '/url');
      assert.match(error.detail, /^must be scheme and host/);
    }
  });
});

function viewAt(url: string): string {
  return `/v1/credentials/acme-hmac/view?url=${encodeURIComponent(url)}`;
}
