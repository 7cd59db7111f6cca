import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { csvText, MAX_CSV_ROWS } from '../../../../src/operators/console/parts/csv.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { TestConsole } from '../../../support/console/test-console.ts';

const DAY = '2026-09-21';

describe('console: lists as files', () => {
  let console: TestConsole;

  const start = (count: number): void => {
    const consumers = Array.from({ length: count }, (_, index) => ({
      ...consumerDefaults,
      id: `c-${String(index).padStart(4, '0')}`,
      labels: index === 0 ? { tier: 'gold', team: 'a', 'team-of': 'b' } : {},
      name: index === 0 ? '=1+1, "x"' : null,
    }));
    console = new TestConsole(new MemoryResourceStore({ consumers }));
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
  };

  it('have all that the query finds, beyond the page, under a name with the day', async () => {
    start(120);
    const page = await console.open('alice', '/consumers?q=c-');
    assert.match(page.text, /href="\/consumers\?q=c-&amp;format=csv" download/);
    const { status, headers, text } = await console.open('alice', '/consumers?q=c-&format=csv');
    assert.deepEqual(
      [status, headers.get('content-type'), headers.get('content-disposition'), headers.get('cache-control')],
      [200, 'text/csv; charset=utf-8; header=present', `attachment; filename="consumers-${DAY}.csv"`, 'no-store'],
    );
    const lines = text.split('\r\n');
    assert.equal(lines.length, 122);
    assert.match(lines[0] ?? '', /^id,name,/);
    assert.match(lines[1] ?? '', /^c-0000,"'=1\+1, ""x""",.*team=a; team-of=b; tier=gold,true,/);
    const one = await console.open('alice', '/consumers?q=tier%3Dgold&format=csv');
    assert.equal(one.text.split('\r\n').length, 3);
  });

  it('end after so many rows as are documented, and say so in their name', async () => {
    start(MAX_CSV_ROWS + 1);
    const documents = await readFile(new URL('../../../../docs/console.md', import.meta.url), 'utf8');
    assert.ok(documents.includes(`at most ${MAX_CSV_ROWS.toLocaleString('en')} rows`));
    const { headers, text } = await console.open('alice', '/consumers?format=csv');
    assert.equal(text.split('\r\n').length, MAX_CSV_ROWS + 2);
    assert.equal(
      headers.get('content-disposition'),
      `attachment; filename="consumers-${DAY}-first-${String(MAX_CSV_ROWS)}.csv"`,
    );
  });

  it('are there for every list, by the same rights as the page', async () => {
    start(1);
    for (const [path, head] of [
      ['/endpoints', 'id,paths,hosts,methods,authentication,labels,enabled'],
      ['/credentials', 'id,consumer,methods,status,expiresAt,lastUsedAt,createdAt'],
      ['/usage?by=consumer', 'consumer,allowed,refused,limited'],
      ['/refusals', 'at,requestId,consumer,credential,endpoint,method,path,code,status,observed,sourceAddress,detail'],
      ['/audit', 'at,actor,action,what,kind,id,reason,revision,event'],
    ] as const) {
      const href = `${path}${path.includes('?') ? '&' : '?'}format=csv`;
      const page = await console.open('alice', path);
      assert.ok(page.text.includes(`href="${href.replaceAll('&', '&amp;')}"`), path);
      const { status, text } = await console.open('alice', href);
      assert.deepEqual([status, text.split('\r\n')[0]], [200, head], path);
    }
    for (const path of ['/refusals', '/audit']) {
      assert.equal((await console.open('victor', `${path}?format=csv`)).status, 403, path);
    }
  });

  it('are refused in another format, and where a page lists nothing', async () => {
    start(1);
    for (const path of ['/consumers?format=xls', '/consumers/c-0000?format=csv']) {
      const { status, text } = await console.open('alice', path);
      assert.equal(status, 400, path);
      assert.match(text, /This page has no format &quot;\w+&quot;\./);
    }
  });

  it('give back what was in a cell, and begin none with what spreadsheets compute', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (rows) => {
        const read = parse(csvText({ columns: ['a'], rows })).slice(1);
        assert.deepEqual(
          read,
          rows.map((row) => row.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell))),
        );
      }),
    );
  });
});

/** RFC 4180 as its grammar says it. */
function parse(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
