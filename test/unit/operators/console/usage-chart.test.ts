import assert from 'node:assert/strict';
import { type Bar, usageChart } from '../../../../src/operators/console/usage/usage-chart.ts';

const none: Bar = { label: '11-20', allowed: 0, limited: 0, refused: 0 };

describe('console: the chart of usage', () => {
  const draw = async (...bars: readonly Bar[]): Promise<string> => String(await usageChart('Requests by day', bars));

  function rectangles(text: string): readonly { readonly part: string; readonly y: number; readonly height: number }[] {
    return [...text.matchAll(/<rect class="(\w+)" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)">/g)].map(
      ([, part = '', y, height]) => ({ part, y: Number(y), height: Number(height) }),
    );
  }

  it('stacks what was allowed, limited and refused, in proportion', async () => {
    const drawn = rectangles(await draw({ label: '11-21', allowed: 60, limited: 30, refused: 10 }));
    assert.deepEqual(
      drawn.map(({ part }) => part),
      ['allowed', 'limited', 'refused'],
    );
    const [allowed, limited, refused] = drawn;
    assert.ok(allowed !== undefined && limited !== undefined && refused !== undefined);
    // 100 is the top of the scale: the whole height, from y 8 to y 216.
    assert.deepEqual([allowed.height, limited.height, refused.height], [124.8, 62.4, 20.8]);
    assert.deepEqual([refused.y, limited.y, allowed.y], [8, 28.8, 91.2]);
  });

  it('draws no bar where nothing was counted, and numbers only', async () => {
    const text = await draw(none, none);
    assert.deepEqual(rectangles(text), []);
    assert.doesNotMatch(text, /NaN|Infinity/);
    assert.doesNotMatch(await draw(), /NaN|Infinity/);
  });

  it('names the counts of each bar, and the scale with whole numbers', async () => {
    const text = await draw({ label: '11-21', allowed: 7, limited: 0, refused: 1 }, { ...none, allowed: 25_000 });
    assert.match(text, /<title>11-21: 7 allowed, 0 limited, 1 refused<\/title>/);
    assert.deepEqual(
      [...text.matchAll(/text-anchor="end">([^<]+)</g)].map(([, label]) => label),
      ['0', '15k', '30k'],
    );
  });

  it('labels every bar of a week, and few of a day by hour', async () => {
    const labels = (text: string): number => [...text.matchAll(/text-anchor="middle"/g)].length;
    assert.equal(labels(await draw(...Array.from({ length: 7 }, () => none))), 7);
    assert.equal(labels(await draw(...Array.from({ length: 24 }, () => none))), 8);
  });

  it('escapes labels', async () => {
    assert.doesNotMatch(await draw({ ...none, label: '<b>' }), /<b>/);
  });
});
