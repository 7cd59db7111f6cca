import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MAX_PLANS, MAX_PLAN_ENDPOINTS } from '../../../src/model/bounds.ts';
import { readPlain } from '../../../src/model/document/read-plain.ts';
import { limitUnits, MAX_LIMIT_REQUESTS } from '../../../src/model/limit.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { anySecret } from '../../../src/resources/secret-source.ts';
import { formatProblem } from '../../../src/model/document/problem.ts';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import { declarePlan, readPlan } from '../../../src/resources/plan.ts';
import { plan } from '../../support/pipeline/resources.ts';

const id = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}$/);
const label = fc.stringMatching(/^[a-z]{1,8}$/);
const labels = fc.dictionary(label, label, { maxKeys: 3, noNullPrototype: true });
const plans: fc.Arbitrary<Plan> = fc
  .record({
    id,
    consumerSelector: labels,
    priority: fc.integer({ min: -1_000_000, max: 1_000_000 }),
    limits: fc.uniqueArray(
      fc.record(
        { requests: fc.integer({ min: 1, max: MAX_LIMIT_REQUESTS }), unit: fc.constantFrom(...limitUnits) },
        { noNullPrototype: true },
      ),
      { minLength: 1, selector: ({ unit }) => unit },
    ),
    where: fc.oneof(fc.uniqueArray(id, { minLength: 1, maxLength: 3 }), labels),
  })
  .map(({ where, ...others }) =>
    Array.isArray(where)
      ? { ...others, endpointIds: where, endpointSelector: null }
      : { ...others, endpointIds: null, endpointSelector: where },
  );

/** What is wrong with a plan, by places. */
function problemsOf(raw: object): readonly string[] {
  const read = readPlain({ id: 'gold', limits: [{ requests: 1, unit: 'day' }], ...raw }, readPlan);
  return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

function problemsOfFile(text: string): readonly string[] {
  const parsed = parseDocument([{ file: 'f', text }], { readSecret: anySecret, isComplete: true });
  return 'problems' in parsed ? parsed.problems.map((each) => formatProblem(each).split('\n', 1)[0] ?? '') : [];
}

describe('a plan of a file', () => {
  it('is declared as it was read', () => {
    fc.assert(
      fc.property(plans, (each) => {
        assert.deepEqual(readPlain(declarePlan(each), readPlan), { value: each });
      }),
    );
    assert.deepEqual(declarePlan(plan()), {
      id: 'gold',
      consumerSelector: { tier: 'gold' },
      limits: [{ requests: 2, unit: 'day' }],
    });
  });

  for (const [raw, problem] of [
    [{ limits: [] }, 'limits: "limits" is empty; a plan has at least one limit'],
    [{ limits: undefined }, ': "limits" is missing; a plan needs it'],
    [
      { limits: [{ requests: 1, unit: 'day', per: 'consumer' }] },
      'limits[0].per: unknown key in a limit of a plan; known keys: requests, unit',
    ],
    [
      {
        limits: [
          { requests: 1, unit: 'day' },
          { requests: 2, unit: 'day' },
        ],
      },
      'limits[1]: a limit per day is on limits[0] already; keep one',
    ],
    [{ limits: [{ requests: 0, unit: 'day' }] }, 'limits[0].requests: "requests" must be a whole number from 1 to'],
    [{ consumerSelector: {} }, 'consumerSelector: "consumerSelector" must name at least one label; leave the key out'],
    [{ endpointSelector: {} }, 'endpointSelector: "endpointSelector" must name at least one label; leave the key out'],
    [
      { endpoints: ['a'], endpointSelector: { a: 'b' } },
      'endpointSelector: a plan lists its endpoints or selects them by labels: remove "endpoints" or "endpointSelector"',
    ],
    [{ endpoints: [] }, 'endpoints: "endpoints" must be a list of 1 to 1000 different ids of endpoints'],
    [{ endpoints: ['a', 'a'] }, 'endpoints: "endpoints" must be a list of 1 to 1000 different ids of endpoints'],
    [{ endpoints: ['A'] }, 'endpoints: "endpoints" must be a list of 1 to 1000 different ids of endpoints'],
    [
      { endpoints: Array.from({ length: MAX_PLAN_ENDPOINTS + 1 }, (_, at) => `e${String(at)}`) },
      'endpoints: "endpoints" must be a list of 1 to 1000 different ids of endpoints',
    ],
    [{ priority: 1_000_001 }, 'priority: "priority" must be a whole number from -1000000 to 1000000'],
    [{ labels: { tier: 'gold' } }, 'labels: unknown key in a plan; known keys'],
  ] as const) {
    it(`is refused with ${JSON.stringify(raw).slice(0, 80)}`, () => {
      const [found = '', ...others] = problemsOf(raw);
      assert.equal(found.slice(0, problem.length), problem);
      assert.deepEqual(others, []);
    });
  }

  it('leads to endpoints that are there, and shares neither id nor priority', () => {
    const text = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: / }] }, authentication: key }
plans:
  - { id: gold, endpoints: [orders, order], limits: [{ requests: 1, unit: day }] }
  - { id: gold, priority: 1, limits: [{ requests: 1, unit: day }] }
  - { id: silver, limits: [{ requests: 1, unit: day }] }
`;
    assert.deepEqual(problemsOfFile(text), [
      'f:5:37: there is no endpoint "order"; did you mean "orders"?',
      'f:6:11: the id "gold" is taken by the plan on line 5',
      'f:7:5: the plan on line 5 has the same priority; of the plans that cover a request the highest priority counts: give each another one',
    ]);
  });

  it('stays within the selector of its file', () => {
    const head = 'version: 1\nselector: { team: a }\nplans:\n';
    const limits = 'limits: [{ requests: 1, unit: day }]';
    const both = 'consumerSelector: { team: a, tier: gold }, endpointSelector: { team: a }';
    assert.deepEqual(problemsOfFile(`${head}  - { id: gold, ${both}, ${limits} }\n`), []);
    const beyond =
      'this plan reaches beyond team=a, the selector: its "consumerSelector" and "endpointSelector" must both name these labels';
    for (const where of ['consumerSelector: { team: a }', 'endpointSelector: { team: a }', 'endpoints: [orders]']) {
      const found = problemsOfFile(`${head}  - { id: gold, ${where}, ${limits} }\n`);
      assert.ok(found.includes(`f:4:5: ${beyond}`), found.join('\n'));
    }
  });

  it('is one of at most so many', () => {
    const lines = Array.from(
      { length: MAX_PLANS + 1 },
      (_, at) => `  - { id: p${String(at)}, priority: ${String(at)}, limits: [{ requests: 1, unit: day }] }\n`,
    );
    assert.deepEqual(problemsOfFile(`version: 1\nplans:\n${lines.join('')}`), [
      `f:${String(MAX_PLANS + 3)}:5: at most ${String(MAX_PLANS)} plans may be, and this is beyond; remove some`,
    ]);
  });
});
