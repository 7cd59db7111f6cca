import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readDocument } from '../../../support/docs/documents.ts';
import { itemsOf, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content: object }>>;
}

interface ItemSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
}

/** What the paths of lists are filled with. */
const ids: Readonly<Record<string, string>> = {
  '/v1/consumers/{id}/access': '/v1/consumers/acme/access',
  '/v1/endpoints/{id}/callers': '/v1/endpoints/orders/callers',
};

describe('the pages of the management API', () => {
  let api: MemoryApi;
  let document: Readonly<Record<string, unknown>> = {};
  let lists: readonly (readonly [path: string, Operation])[] = [];

  before(async () => {
    api = await twoTeams();
    ({ body: document } = await api.ask(null, 'GET', '/openapi.json'));
    const paths = document['paths'] as Readonly<Record<string, { readonly get?: Operation }>>;
    lists = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.parameters?.some(({ name }) => name === 'cursor') === true ? [[path, get] as const] : [],
    );
    assert.ok(lists.length >= 9, String(lists.length));
  });

  it('conform to the document, whole and with some fields of each item', async () => {
    const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, ItemSchema>> };
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'api');
    let seen = 0;
    for (const [path, { responses }] of lists) {
      const page = JSON.stringify(responses['200']?.content);
      const [, name = ''] = /#\/components\/schemas\/(\w+)Page"/.exec(page) ?? [];
      const isPage = ajv.compile({ $ref: `api#/components/schemas/${name}Page` });
      const itemName = /\/schemas\/(\w+)"\},\{"\$ref":"#\/components\/schemas\/SomeFields"/.exec(
        JSON.stringify(schemas[`${name}Page`]),
      )?.[1];
      assert.ok(itemName !== undefined, `${path}: the items of ${name}Page cannot have some fields only`);
      const isItem = ajv.compile({ $ref: `api#/components/schemas/${itemName}` });
      const { properties, required } = schemas[itemName] as ItemSchema;
      const address = ids[path] ?? path;
      const whole = await api.ask('alice', 'GET', address);
      assert.ok(isPage(whole.body), `${path}: ${ajv.errorsText(isPage.errors)}`);
      for (const item of itemsOf(whole)) assert.ok(isItem(item), `${path}: ${ajv.errorsText(isItem.errors)}`);
      for (const field of Object.keys(properties)) {
        const some = await api.ask('alice', 'GET', `${address}?fields=${field}`);
        assert.ok(isPage(some.body), `${path} ${field}: ${ajv.errorsText(isPage.errors)}`);
        for (const [at, item] of itemsOf(some).entries()) {
          const expected = itemsOf(whole)[at]?.[field];
          assert.deepEqual(item, expected === undefined ? {} : { [field]: expected }, path);
          assert.ok(expected !== undefined || !required.includes(field), `${path} ${field}`);
          seen += 1;
        }
      }
    }
    assert.ok(seen > 50, String(seen));
  });

  it('refuse a cursor that no page gave, which schemathesis takes for right', async () => {
    const settings = readDocument('test/schemathesis/schemathesis.toml');
    const [, exempt = ''] = /include-operation-id-regex = "(.+)"/.exec(settings) ?? [];
    assert.notEqual(exempt, '');
    for (const [path, { operationId }] of lists) {
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `${ids[path] ?? path}?cursor=%21`);
      assert.match(operationId, new RegExp(exempt), path);
    }
  });
});
