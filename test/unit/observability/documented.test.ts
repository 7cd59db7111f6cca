import assert from 'node:assert/strict';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { fullRegistry, manageRegistry, seriesOf } from '../../support/observe/known-metrics.ts';

/** The metrics of `postern serve`, and those of `postern manage`. */
const pages = ['docs/metrics-and-logs.md', 'docs/manage.md'].map(readDocument);

describe('the table of metrics', () => {
  it('names every metric of Postern with its labels, and none that there is not', () => {
    const documented = new Map(
      pages
        .flatMap((page) => readTable(page, 'Metric'))
        .flatMap(([names = '']) =>
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
