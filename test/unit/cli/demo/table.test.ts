import assert from 'node:assert/strict';
import picocolors from 'picocolors';
import { MAX_TITLE_CHARACTERS } from '../../../../src/cli/demo/row.ts';
import { rowGroups } from '../../../../src/cli/demo/run-demo.ts';
import { renderHead, renderRow, type ShownRow, TABLE_COLUMNS } from '../../../../src/cli/demo/table.ts';

const plain = picocolors.createColors(false);
const painted = picocolors.createColors(true);
const right: ShownRow = {
  title: 'right key',
  expected: '200 as acme',
  got: '200 as acme',
  latencyMs: 1.26,
  isRight: true,
  notes: [],
};
const wrong: ShownRow = {
  ...right,
  title: 'x'.repeat(MAX_TITLE_CHARACTERS),
  expected: '401 CREDENTIALS_MALFORMED',
  got: 'something much longer than any verdict',
  latencyMs: 10_000.4,
  isRight: false,
  notes: [`${'word '.repeat(40)}end`, 'y'.repeat(250)],
};

describe('the table of the demo', () => {
  it('shows a row that is as expected in one line', () => {
    assert.equal(
      renderRow(right, plain),
      '  ✓ right key                        200 as acme                200 as acme                  1.3 ms\n',
    );
  });

  it('marks a row that is not, and shows why', () => {
    const text = renderRow({ ...right, got: 'no answer', latencyMs: null, isRight: false, notes: ['reset'] }, plain);
    assert.match(text, /^ {2}✗ right key +200 as acme +no answer +-\n {6}reset\n$/);
  });

  it('stays within its columns, whatever comes', () => {
    for (const line of [renderHead(plain), renderRow(right, plain), renderRow(wrong, plain)].join('').split('\n')) {
      assert.ok(line.length <= TABLE_COLUMNS, `${String(line.length)} columns: ${line}`);
    }
  });

  it('loses no word of a note', () => {
    const words = renderRow(wrong, plain).split('\n').slice(1).join(' ').split(/\s+/);
    assert.deepEqual(words.slice(1, 42), [...Array<string>(40).fill('word'), 'end']);
  });

  it('says the same with colours as without', () => {
    for (const row of [right, wrong]) {
      const text = renderRow(row, painted);
      assert.match(text, /\u001b\[3[12]m/);
      assert.equal(text.replaceAll(/\u001b\[\d+m/g, ''), renderRow(row, plain));
    }
  });

  it('has titles that fit and distinguish the rows of a group', () => {
    for (const { rows } of rowGroups) {
      const titles = rows.map(({ title }) => title);
      assert.equal(new Set(titles).size, titles.length);
      assert.ok(titles.every((title) => title.length <= MAX_TITLE_CHARACTERS));
    }
  });
});
