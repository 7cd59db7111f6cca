import assert from 'node:assert/strict';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { MAX_DESCRIPTION_CHARACTERS } from '../../../../../src/model/bounds.ts';
import { formatProblem } from '../../../../../src/model/document/problem.ts';

const SIZE = 17 * 1024 * 1024;
const filling = 'x'.repeat(MAX_DESCRIPTION_CHARACTERS);
const fillers = Math.ceil(SIZE / filling.length);

/** A document larger than the YAML library is given, with a text in the place of one consumer. */
function largeDocument(odd: string): { readonly text: string; readonly line: number } {
  const items = Array.from({ length: 1000 }, (_, index) => `  - id: c${String(index)}\n    name: Partner\n`);
  const filler = Array.from(
    { length: fillers },
    (_, index) => `  - id: filler-${String(index)}\n    description: ${filling}\n`,
  ).join('');
  const head = `version: 1\nconsumers:\n${items.join('')}`;
  return { text: `${head}${odd}${filler}`, line: head.split('\n').length };
}

function problemsOf(text: string): readonly string[] {
  const options = { isComplete: false, readSecret: () => ({ fault: 'is not needed' }) };
  const parsed = parseDocument([{ file: 'f.yaml', text }], options);
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

describe('documents larger than the YAML library is given', function () {
  this.timeout(30_000);

  it('are read when they are written as usual', () => {
    assert.deepEqual(problemsOf(largeDocument('').text), []);
  });

  it('get their problems reported at the right places', () => {
    const { text, line } = largeDocument('  - id: odd\n    labels: { a: 1 }\n  - id: "odd\n  - id: c1\n');
    assert.deepEqual(problemsOf(text), [
      `f.yaml:${String(line + 1)}:18: a value in "labels" must be a text, but YAML reads this as a number: quote it`,
      `f.yaml:${String(line + 3)}:1: not valid YAML: the " that ends a quoted text is missing`,
    ]);
    const twice = largeDocument('  - id: c1\n');
    assert.deepEqual(problemsOf(twice.text), [
      `f.yaml:${String(twice.line)}:9: the id "c1" is taken by the consumer on line 5`,
    ]);
  });

  it('are refused in another form', () => {
    assert.match(
      problemsOf(`${largeDocument('').text}other: []\n`).join(),
      /is larger than 16 MiB, and is neither JSON nor/,
    );
  });
});
