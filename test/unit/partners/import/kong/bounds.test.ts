import assert from 'node:assert/strict';
import { declaredDocument } from '../../../../../src/partners/import/kong/import-kong.ts';
import { MAX_ENDPOINTS_BYTES, MAX_PATH_SEGMENTS } from '../../../../../src/model/bounds.ts';
import { segmentCount } from '../../../../../src/model/endpoint.ts';
import { endpointOf, importText, linesOf } from './import-text.ts';

type Imported = ReturnType<typeof importText>;

/** As the command does: it reads the document before it writes it, and throws when it cannot be served. */
async function assertServable(imported: Imported): Promise<void> {
  for await (const piece of declaredDocument(imported, 'json')) assert.ok(piece !== '');
}

function times<T>(length: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => item(index));
}

describe('routes beyond what a store may have', () => {
  it('are left out with an error when their paths have too many segments, and open no other route', async () => {
    const hosts = times(100, (index) => `h${String(index)}.example.com`);
    const pathsOf = (name: string): readonly string[] =>
      times(50, (index) => `/${name}${'/x'.repeat(28)}/${String(index)}`);
    assert.ok(segmentCount({ hosts, paths: pathsOf('a').map((prefix) => ({ prefix })) }) < MAX_PATH_SEGMENTS);
    const imported = importText({
      _format_version: '3.0',
      routes: [
        { name: 'first', hosts, paths: pathsOf('a'), plugins: [{ name: 'key-auth' }] },
        { name: 'second', hosts, paths: pathsOf('b'), plugins: [{ name: 'key-auth' }] },
        { name: 'small', paths: ['/c'], plugins: [{ name: 'key-auth' }] },
        { name: 'open', paths: ['/b'] },
        { name: 'other', paths: ['/d'] },
      ],
    });
    assert.deepEqual(
      imported.endpoints.map(({ id, enabled, scenario }) => [id, enabled, scenario]),
      [
        ['first', undefined, 'partner-openapi'],
        ['small', undefined, 'partner-openapi'],
        ['open', false, 'partner-openapi'],
        ['other', undefined, 'open'],
      ],
    );
    const errors = linesOf(imported.findings, 'error').join('\n');
    assert.match(errors, /route "second": is beyond the 200000 segments of paths, .*: it was left out$/m);
    assert.match(errors, /route "open": would take requests below .* that Kong gives to the route "second"/);
    await assertServable(imported);
  });

  it('are left out with an error when endpoints have too many bytes', async () => {
    const paths = times(100, (index) => `/${String(index).padStart(1000, 'x')}`);
    const routes = times(
      170,
      (index) => `{ name: r${String(index)}, hosts: [h${String(index)}.example.com], paths: *paths }`,
    );
    const imported = importText(`_format_version: "3.0"
_ignore: &paths ${JSON.stringify(paths)}
plugins: [{ name: ip-restriction }]
routes: [${routes.join(', ')}]
`);
    const bytes = Buffer.byteLength(JSON.stringify(imported.endpoints));
    assert.ok(bytes < MAX_ENDPOINTS_BYTES && bytes > MAX_ENDPOINTS_BYTES * 0.9, String(bytes));
    const left = linesOf(imported.findings, 'error').filter((line) => line.includes('it was left out'));
    assert.equal(left.length, 170 - imported.endpoints.length);
    assert.match(
      left[0] ?? '',
      /route "r1\d\d": is beyond the 16 MiB that all endpoints together may have: it was left out$/,
    );
    assert.equal(endpointOf(imported, 'r0')['enabled'], false);
    await assertServable(imported);
  });
});
