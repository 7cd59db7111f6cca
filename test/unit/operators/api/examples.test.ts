import assert from 'node:assert/strict';
import { examples } from '../../../../src/operators/api/examples.ts';
import { type Answer, MemoryApi } from '../../../support/api/memory-api.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
type Content = Readonly<{ content?: Readonly<{ 'application/json'?: Readonly<{ example?: unknown }> }> }>;

/** What the examples name, in the order of the parameters of a path. */
const named: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/v1/endpoints': { id: 'orders' },
  '/v1/consumers': { id: 'acme' },
  '/v1/credentials': { id: 'acme-hmac' },
  '/v1/grants': { endpoint: 'orders', holder: 'acme' },
  '/v1/operators': { id: 'paula' },
};

/** The same without what is new each time. */
function settled(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/("(?:appKey|appSecret|token)":)"[^"]+"/g, '$1"…"')
    .replaceAll(/("id":)"[0-9a-f]{8}"/g, '$1"…"');
  return JSON.parse(text);
}

describe('the examples of the OpenAPI document', () => {
  it('lead from an empty store to a partner who may call, and are answered as they say', async () => {
    const api = new MemoryApi();
    await api.add('alice', 'admin');
    const { body: document } = await api.ask(null, 'GET', '/openapi.json');
    const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    const found = new Map(
      Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, operation]) => [operation.operationId, { path, method, operation }]),
      ),
    );
    for (const [id, { request, answers = {} }] of Object.entries(examples)) {
      const { path, method, operation } = found.get(id) ?? assert.fail(`there is no operation ${id}`);
      assert.deepEqual(operation.requestBody?.content?.['application/json']?.example, request, id);
      const values = Object.entries(named).find(([start]) => path.startsWith(start))?.[1] ?? {};
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? assert.fail(`${id}: ${name}`));
      const asked = { headers: { 'if-match': '*' }, ...(request === undefined ? {} : { body: request }) };
      const answer: Answer = await api.done('alice', method.toUpperCase(), address, asked);
      for (const [status, example] of Object.entries(answers)) {
        assert.deepEqual(operation.responses[status]?.content?.['application/json']?.example, example, id);
        assert.deepEqual([String(answer.status), settled(answer.body)], [status, settled(example)], id);
      }
    }
  });
});
