import assert from 'node:assert/strict';
import fc from 'fast-check';
import { unseenTexts } from '../../../../src/model/document/unseen-texts.ts';
import { unseenIn } from '../../../../src/base/text/unseen.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { memoryCli } from '../../cli/nouns/memory-cli.ts';
import { parseDocument } from '../../../../src/resources/parse-document.ts';
import { secretsOf } from '../../resources/support.ts';

/** A control, a NUL, an escape, marks of direction, and separators of lines. */
const unseen = ['\u0007', '\0', '\u001b[2J', '\u009b', '\u202e', '\u2066', '\u200f', '\u061c', '\u2028', '\u2029'];
const any = { 'if-match': '*' };

describe('characters that nobody sees', () => {
  it('are named by their code points, and nothing else is one', () => {
    assert.deepEqual(['a\u202eb', '\0', 'x\n'].map(unseenIn), ['U+202E', 'U+0000', 'U+000A']);
    for (const text of ['', 'Ödön 株式会社', 'علی\u200cرضا', '👩\u200d🚀', 'a b', '\ufffd'])
      assert.equal(unseenIn(text), null);
  });

  it('are found wherever a text or a key is, and only there', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...unseen), (value, mark) => {
        const clean = JSON.parse(JSON.stringify(value).replaceAll(/\\u[0-9a-f]{4}|[^ -~]/g, '')) as unknown;
        assert.deepEqual(unseenTexts({ clean }), []);
        assert.deepEqual(unseenTexts({ clean, name: mark }).length, 1);
        assert.deepEqual(unseenTexts({ clean, labels: { [`a${mark}`]: 'x' } }).length, 1);
        assert.deepEqual(unseenTexts({ clean, labels: { [`a${mark}`]: null } }), []);
      }),
    );
    assert.deepEqual(unseenTexts({ description: 'two\r\nlines\n\twith a tab' }), []);
    assert.equal(unseenTexts({ name: 'two\nlines', description: 'a\rb' }).length, 2);
  });

  it('are refused by the API, with their place, in every text that it takes', async () => {
    const api = new MemoryApi();
    await api.add('root', 'admin');
    await api.done('root', 'POST', '/v1/consumers', { body: { id: 'acme' } });
    const endpoint = { id: 'orders', authentication: 'key', match: { paths: [{ prefix: '/orders' }] } };
    await api.done('root', 'POST', '/v1/endpoints', { body: endpoint });
    await api.add('vic', 'viewer');
    for (const mark of unseen) {
      api.now += 60;
      const bad = `a${mark}b`;
      const bodies: readonly (readonly [path: string, made: object, bad: object, pointer: string])[] = [
        ['consumers/acme', { id: 'x' }, { name: bad }, '/name'],
        ['consumers/acme', { id: 'x' }, { description: bad }, '/description'],
        ['consumers/acme', { id: 'x' }, { labels: { tier: bad } }, '/labels/tier'],
        ['consumers/acme', { id: 'x' }, { labels: { [bad]: 'gold' } }, '/labels/…'],
        ['endpoints/orders', { ...endpoint, id: 'x' }, { description: bad }, '/description'],
        ['endpoints/orders', { ...endpoint, id: 'x' }, { labels: { tier: bad } }, '/labels/tier'],
        ['operators/vic', { id: 'x', role: 'viewer' }, { name: bad }, '/name'],
        ['operators/vic', { id: 'x', role: 'viewer' }, { selector: { team: bad } }, '/selector/team'],
        ['operators/vic', { id: 'x', role: 'viewer' }, { subjects: [bad] }, '/subjects/0'],
      ];
      for (const [path, made, fault, pointer] of bodies) {
        const [collection = ''] = path.split('/');
        for (const answer of [
          await api.refused('INVALID_RESOURCE', 'root', 'POST', `/v1/${collection}`, { body: { ...made, ...fault } }),
          await api.refused('INVALID_RESOURCE', 'root', 'PATCH', `/v1/${path}`, { body: fault, headers: any }),
        ]) {
          const [{ pointer: at = '' } = {}] = answer.body['errors'] as readonly { readonly pointer?: string }[];
          assert.equal(at, pointer);
          assert.ok(!JSON.stringify(answer.body).includes(mark), path);
        }
      }
      const group = { endpoint: 'orders', consumerSelector: { tier: bad } };
      await api.refused('INVALID_RESOURCE', 'root', 'POST', '/v1/grants', { body: group });
      const reason = `/v1/consumers?${new URLSearchParams({ reason: bad }).toString()}`;
      await api.refused('MALFORMED_REQUEST', 'root', 'POST', reason, { body: { id: 'x' } });
    }
    assert.deepEqual(api.defects, []);
  });

  it('are refused by commands, in every text that they take', async () => {
    const cli = await memoryCli();
    await cli.done('consumer', 'create', 'acme');
    await cli.done('endpoint', 'create', 'orders', '--path', '/orders', '--authentication', 'key');
    for (const mark of unseen.filter((each) => each !== '\0')) {
      const bad = `a${mark}b`;
      for (const args of [
        ...['--name', '--description'].map((flag) => ['consumer', 'edit', 'acme', flag, bad]),
        ['consumer', 'create', 'x', '--label', `tier=${bad}`],
        ['consumer', 'create', 'x', '--label', `${bad}=gold`],
        ['consumer', 'disable', 'acme', '--reason', bad],
        ['endpoint', 'edit', 'orders', '--description', bad],
        ['grant', 'add', '--endpoint', 'orders', '--label', `tier=${bad}`],
        ['operator', 'add', 'x', '--role', 'viewer', '--name', bad],
      ]) {
        const { code, err } = await cli.run(args);
        assert.equal(code, 2, `${JSON.stringify(args)} ${err}`);
        assert.ok(!err.includes(mark), args.join(' '));
      }
    }
  });

  it('are refused in declarative files, at their lines', () => {
    const text = `version: 1
selector: { team: "a\\u202Eb" }
endpoints:
  - id: orders
    description: "a\\x1Bb"
    authentication: key
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
consumers:
  - id: acme
    name: "a\\u202Eb"
    labels: { "a\\x07": x }
grants:
  - endpoint: orders
    consumerSelector: { tier: "a\\u2028b" }
`;
    const parsed = parseDocument([{ file: 'f', text }], { isComplete: true, readSecret: secretsOf({}) });
    assert.ok('problems' in parsed);
    const found = parsed.problems.filter(({ message }) => message.includes('nobody sees'));
    assert.deepEqual(
      found.map(({ line, message }) => [line, /U\+[0-9A-F]{4}/.exec(message)?.[0]]),
      [
        [2, 'U+202E'],
        [5, 'U+001B'],
        [11, 'U+202E'],
        [12, 'U+0007'],
        [15, 'U+2028'],
      ],
    );
  });

  it('stay where a store has them: it is read, changed in other fields, and freed of them', async () => {
    const old = { ...consumerDefaults, id: 'old', name: 'a\u202eb', labels: { 'a\u202e': 'b\u0007', tier: 'gold' } };
    const store = new MemoryResourceStore({ consumers: [old] });
    const pages = new TestConsole(store);
    pages.add('alice', 'admin');
    const revision = hiddenValue(await pages.open('alice', '/consumers/old/disable'), 'revision');
    assert.equal((await pages.submit('alice', '/consumers/old/disable', { revision })).status, 303);
    const api = new MemoryApi({ consumers: [old] });
    await api.add('root', 'admin');
    const change = async (body: object): Promise<unknown> =>
      await api.done('root', 'PATCH', '/v1/consumers/old', { body, headers: any });
    await change({ enabled: false });
    await change({ labels: { tier: 'silver' } });
    await change({ labels: { 'a\u202e': null }, name: null });
    const { body } = await api.done('root', 'GET', '/v1/consumers/old');
    assert.deepEqual([body['name'], body['labels'], body['enabled']], [undefined, { tier: 'silver' }, false]);
  });
});
