import assert from 'node:assert/strict';
import { readDocument } from '../../support/docs/documents.ts';
import { MemoryApi } from '../../support/api/memory-api.ts';

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
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
      assert.ok('default' in responses, name);
    }
    assert.ok(ids.size > 40, String(ids.size));
  });

  it('offers to answer each POST once', () => {
    for (const [name, , { parameters = [] }] of operations()) {
      const hasKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
      assert.equal(hasKey, name.startsWith('post '), name);
    }
  });

  it('leads nowhere that it does not define', () => {
    const { schemas } = document['components'] as { schemas: Record<string, unknown> };
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
      ([, reference = '']) => reference,
    );
    assert.ok(references.length > 50);
    for (const reference of references) assert.ok(reference.replace('#/components/schemas/', '') in schemas, reference);
  });
});
