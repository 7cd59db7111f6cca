import assert from 'node:assert/strict';
import { MAX_GROUP_GRANTS_OF_ENDPOINT, MAX_PATH_SEGMENTS } from '../../../src/model/bounds.ts';
import { parseDocument } from '../../../src/resources/parse-document.ts';

function problemsOf(document: object): readonly string[] {
  const text = JSON.stringify({ version: 1, ...document });
  const options = { readSecret: () => ({ fault: 'is not read here' }), isComplete: true };
  const parsed = parseDocument([{ file: 'postern.yaml', text }], options);
  return 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function endpoint(id: string, match: object): object {
  return { id, scenario: 'partner-openapi', authentication: 'key', match };
}

describe('a document', () => {
  it('has as many grants for groups on an endpoint as a check looks through', () => {
    const grants = Array.from({ length: MAX_GROUP_GRANTS_OF_ENDPOINT + 2 }, (_, priority) => ({
      ...{ endpoint: 'orders', consumerSelector: { tier: String(priority) }, priority },
    }));
    const endpoints = [endpoint('orders', { paths: [{ prefix: '/orders' }] })];
    assert.deepEqual(problemsOf({ endpoints, grants: grants.slice(0, MAX_GROUP_GRANTS_OF_ENDPOINT) }), []);
    assert.deepEqual(problemsOf({ endpoints, grants }), [
      'grants[100]: at most 100 grants for groups on the endpoint "orders" may be, and this is beyond; remove some',
    ]);
  });

  it('has as many segments of paths as memory is there for', () => {
    const hosts = Array.from({ length: 100 }, (_, at) => `h${String(at)}.example`);
    const perEndpoint = 100 * 100 * 10;
    const endpoints = Array.from({ length: MAX_PATH_SEGMENTS / perEndpoint + 1 }, (_, at) =>
      endpoint(`e${String(at)}`, {
        hosts,
        paths: Array.from({ length: 100 }, (_, path) => ({
          prefix: `/${String(at)}-${String(path)}${'/a'.repeat(8)}`,
        })),
      }),
    );
    assert.deepEqual(problemsOf({ endpoints: endpoints.slice(0, -1) }), []);
    assert.deepEqual(problemsOf({ endpoints }), [
      'endpoints[2]: at most 200000 segments of the paths of endpoints, counted for each host, may be, and this is beyond; remove some',
    ]);
  });
});
