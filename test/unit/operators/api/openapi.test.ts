import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import { problems } from '../../../../src/operators/api/problem.ts';
import { readDocument } from '../../../support/docs/documents.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Schema {
  readonly required?: readonly string[];
}

function referenceOf(answer: unknown): string | null {
  const { $ref } = answer as { readonly $ref?: string };
  return $ref?.replace('#/components/responses/', '') ?? null;
}

describe('the OpenAPI document of the management API', () => {
  let document: Readonly<Record<string, unknown>> = {};
  before(async () => {
    ({ body: document } = await new MemoryApi().ask(null, 'GET', '/openapi.json'));
  });

  function operations(): readonly (readonly [name: string, path: string, operation: Operation])[] {
    const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, path, operation] as const),
    );
  }

  it('is the one in docs/openapi.json; "npm run openapi" writes it', () => {
    assert.deepEqual(document, JSON.parse(readDocument('docs/openapi.json')));
  });

  it('names each operation once, with a summary, its parameters of the path and the problems', () => {
    const ids = new Set<string>();
    for (const [name, path, { operationId, summary, parameters = [], responses }] of operations()) {
      assert.ok(operationId !== undefined && !ids.has(operationId), name);
      ids.add(operationId);
      assert.ok(summary !== undefined && summary !== '', name);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const documented = parameters.filter((each) => each.in === 'path').map((each) => each.name);
      assert.deepEqual(documented, named, name);
      assert.ok(!('default' in responses), `${name}: a problem that nothing says`);
      for (const status of ['401', '429', '500', '503']) assert.ok(status in responses, `${name} ${status}`);
    }
    assert.ok(ids.size > 40, String(ids.size));
  });

  it('conforms to OpenAPI 3.1, as a validator by others says', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.deepEqual([valid, errors ?? [], validator.version], [true, [], '3.1']);
    const wrong = structuredClone(document) as { paths: Record<string, { get: { parameters: { in: string }[] } }> };
    for (const parameter of wrong.paths['/v1/consumers']?.get.parameters ?? []) parameter.in = 'nowhere';
    assert.equal((await new Validator().validate(wrong)).valid, false);
  });

  it('states each code of a problem where it can come, in the words of the table', () => {
    const { responses: shared } = document['components'] as { readonly responses: Readonly<Record<string, object>> };
    const text = JSON.stringify(shared);
    for (const [code, { title }] of Object.entries(problems)) {
      // Of a path, which has no place for it.
      if (code !== 'METHOD_NOT_ALLOWED') assert.ok(text.includes(`\`${code}\`: ${title}`), code);
    }
    const used = new Set(operations().flatMap(([, , { responses }]) => Object.values(responses).map(referenceOf)));
    assert.deepEqual(Object.keys(shared).sort(), [...used].filter((name) => name !== null).sort());
  });

  it('offers to answer each POST once, but the one that begins a session', () => {
    for (const [name, , { parameters = [] }] of operations()) {
      const hasKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
      assert.equal(hasKey, name.startsWith('post ') && name !== 'post /v1/sessions', name);
    }
  });

  it('leads nowhere that it does not define', () => {
    const components = document['components'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference = '']) => reference,
    );
    assert.ok(references.length > 50);
    for (const reference of references) {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w-]+)$/.exec(reference) ?? [];
      assert.ok(name in (components[kind] ?? {}), reference);
    }
  });

  it('requires of a new endpoint what it cannot do without', async () => {
    const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Schema>> };
    assert.deepEqual(schemas['EndpointCreation']?.required, ['id', 'match']);
    const api = new MemoryApi();
    await api.add('alice', 'admin');
    const endpoint = { id: 'orders', match: { paths: [{ prefix: '/orders' }] }, authentication: 'key' };
    await api.done('alice', 'POST', '/v1/endpoints', { body: endpoint });
    assert.equal((await api.ask('alice', 'GET', '/v1/endpoints/orders')).body['scenario'], 'partner-openapi');
  });

  it('shows the form of times, which is one that they are read by', async () => {
    const forms = [
      ...JSON.stringify(document).matchAll(/"anyOf":\[\{"pattern":"([^"]+)"\},\{"format":"date-time"\}\]/g),
    ];
    assert.ok(forms.length >= 11, String(forms.length));
    const pattern = new RegExp(forms[0]?.[1] ?? '');
    const api = new MemoryApi();
    await api.add('alice', 'admin');
    for (const span of ['0s', '999999999s', '9999999m', '99999h', '9999d', '999w']) {
      assert.match(span, pattern);
      await api.done('alice', 'GET', `/v1/audit?since=${span}`);
    }
    await api.done('alice', 'GET', '/v1/audit?since=2026-01-01T00:00:00Z');
    const spans = [...JSON.stringify(document).matchAll(/"pattern":"(\^\(\?:0\|[^"]+)"/g)];
    assert.ok(spans.length >= 3, String(spans.length));
    for (const span of ['0', '999999999s', '9999999m', '99999h', '9999d', '999w']) {
      assert.match(span, new RegExp(spans[0]?.[1] ?? ''));
      await api.done('alice', 'GET', `/v1/credentials?unusedFor=${span}`);
    }
    for (const text of ['', '7', '1.5d', '7y', '7D', 'd', '٧d', '2026-01-01']) {
      assert.doesNotMatch(text, pattern);
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `/v1/audit?since=${encodeURIComponent(text)}`);
    }
  });
});
