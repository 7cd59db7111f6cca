import assert from 'node:assert/strict';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { fullRegistry, manageRegistry, seriesOf } from '../../support/observe/known-metrics.ts';

/** What names the metrics of `postern serve`, items of a list, and those of `postern manage`, a table. */
const named = [
  ...readDocument('docs/metrics-and-logs.md').matchAll(/^- (`postern_[^`]+`(?:,\s+`postern_[^`]+`)*)(?::\s|$)/gm),
  ...readTable(readDocument('docs/manage.md'), 'Metric').map(([names = '']) => ['', names] as const),
].map(([, names = '']) => names);

describe('the metrics in the documents', () => {
  it('are every metric of Postern with its labels, and none that there is not', () => {
    const documented = new Map(
      named.flatMap((names) =>
        [...names.matchAll(/`(postern_\w+)(?:\{([\w,]+)\})?`/g)].map(([, name = '', labels]) => [
          name,
          labels?.split(',') ?? [],
        ]),
      ),
    );
    const real = new Map(
      [...seriesOf(fullRegistry()), ...seriesOf(manageRegistry())]
        .filter(([name]) => name.startsWith('postern_') && !/_(bucket|sum)$/.test(name))
        .map(([name, labels]) => [
          name.replace(/_seconds_count$/, '_seconds'),
          [...labels].filter((label) => label !== 'job' && label !== 'instance'),
        ]),
    );
    assert.deepEqual([...documented.keys()].sort(), [...real.keys()].sort());
    for (const [name, labels] of documented) assert.deepEqual(labels, real.get(name), name);
  });
});
