import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type PlainProblem, readPlain } from '../../../src/model/document/read-plain.ts';
import type { Planned } from '../../../src/resources/changes/change.ts';
import { planConsumerEdit, planNewConsumer } from '../../../src/resources/changes/plan-consumer.ts';
import { planEndpointEdit } from '../../../src/resources/changes/plan-endpoint.ts';
import { planGrant } from '../../../src/resources/changes/plan-grant.ts';
import {
  MAX_DESCRIPTION_CHARACTERS,
  MAX_GRANT_HOLDER_CHARACTERS,
  MAX_GROUP_GRANTS_OF_ENDPOINT,
  MAX_HOSTS,
  MAX_KEY_NAMES,
  MAX_LABEL_CHARACTERS,
  MAX_LABELS,
  MAX_METHODS,
  MAX_NAME_CHARACTERS,
  MAX_PATHS,
} from '../../../src/model/bounds.ts';
import type { Consumer } from '../../../src/model/consumer.ts';
import type { Labels } from '../../../src/model/labels.ts';
import { readConsumerAlone } from '../../../src/resources/consumer.ts';
import { readEndpoint } from '../../../src/resources/endpoint.ts';
import { endpointOfShortId, grantId, parseGrantId, readGrant, shownGrantId } from '../../../src/resources/grant.ts';
import { readOperator } from '../../../src/resources/operator.ts';
import type { Stored } from '../../../src/resources/resource.ts';

function labelsOf(count: number, characters: number, letter = 'a'): Labels {
  const name = (at: number): string => String(at).padStart(characters, letter);
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), letter.repeat(characters)]));
}

const fullLabels = labelsOf(MAX_LABELS, MAX_LABEL_CHARACTERS);

function problemsOf(read: { readonly value: unknown } | { readonly problems: readonly PlainProblem[] }): unknown {
  return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : 'right';
}

const endpoint = {
  ...{ id: 'orders', scenario: 'partner-openapi', authentication: 'key' },
  match: { paths: [{ prefix: '/orders' }] },
};
const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('the bounds of what is written', () => {
  it('take each field at its bound, whatever its letters take in UTF-16', () => {
    const consumer = {
      id: 'a'.repeat(63),
      name: '𝒜'.repeat(MAX_NAME_CHARACTERS),
      description: '𝒜'.repeat(MAX_DESCRIPTION_CHARACTERS),
      labels: labelsOf(MAX_LABELS, MAX_LABEL_CHARACTERS, 'é'),
    };
    assert.equal(problemsOf(readPlain(consumer, readConsumerAlone)), 'right');
    const full = {
      ...endpoint,
      description: 'd'.repeat(MAX_DESCRIPTION_CHARACTERS),
      labels: fullLabels,
      match: {
        hosts: many(MAX_HOSTS, (at) => `h${String(at)}.example`),
        paths: many(MAX_PATHS, (at) => ({ prefix: `/${String(at)}` })),
        methods: many(MAX_METHODS, (at) => `M${String(at)}`),
      },
      options: { keyNames: many(MAX_KEY_NAMES, (at) => ({ header: `X-Key-${String(at)}` })) },
    };
    assert.equal(problemsOf(readPlain(full, readEndpoint)), 'right');
    assert.equal(
      problemsOf(readPlain({ id: 'ada', role: 'operator', name: 'n'.repeat(256), selector: fullLabels }, readOperator)),
      'right',
    );
    assert.equal(problemsOf(readPlain({ endpoint: 'orders', consumerSelector: fullLabels }, readGrant)), 'right');
  });

  it('refuse each field beyond, and name it', () => {
    const tooMany = labelsOf(MAX_LABELS + 1, 5);
    const expected: readonly (readonly [unknown, unknown])[] = [
      [
        readPlain({ id: 'acme', description: 'd'.repeat(1025) }, readConsumerAlone),
        ['description: "description" must hold at most 1024 characters'],
      ],
      [
        readPlain({ id: 'acme', name: 'n'.repeat(257) }, readConsumerAlone),
        ['name: "name" must hold 1 to 256 characters that are not all blanks'],
      ],
      [readPlain({ id: 'acme', labels: tooMany }, readConsumerAlone), ['labels: "labels" must have at most 32 labels']],
      [
        readPlain({ id: 'acme', labels: { a: 'v'.repeat(64) } }, readConsumerAlone),
        ['labels: "labels" must have labels whose names and values hold at most 63 characters'],
      ],
      [
        readPlain({ id: 'acme', labels: { ['n'.repeat(64)]: 'v' } }, readConsumerAlone),
        ['labels: "labels" must have labels whose names and values hold at most 63 characters'],
      ],
      [
        readPlain({ ...endpoint, match: { paths: many(101, (at) => ({ exact: `/${String(at)}` })) } }, readEndpoint),
        ['match.paths: "paths" must have at most 100 items'],
      ],
      [
        readPlain({ ...endpoint, match: { paths: [{ exact: `/${'p'.repeat(1024)}` }] } }, readEndpoint),
        ['match.paths: "paths" must have items of at most 1024 characters'],
      ],
      [
        readPlain(
          { ...endpoint, match: { ...endpoint.match, hosts: many(101, (at) => `h${String(at)}`) } },
          readEndpoint,
        ),
        ['match.hosts: "hosts" must have at most 100 items'],
      ],
      [
        readPlain({ ...endpoint, match: { ...endpoint.match, methods: ['M'.repeat(33)] } }, readEndpoint),
        ['match.methods: "methods" must have items of at most 32 characters'],
      ],
      [
        readPlain({ ...endpoint, options: { keyNames: [{ query: 'k'.repeat(257) }] } }, readEndpoint),
        ['options.keyNames: "keyNames" must have items of at most 256 characters'],
      ],
      [
        readPlain({ id: 'ada', role: 'viewer', selector: tooMany, name: 'n'.repeat(257) }, readOperator),
        ['name: "name" must hold at most 256 characters', 'selector: "selector" must have at most 32 labels'],
      ],
      [
        readPlain({ endpoint: 'orders', consumerSelector: tooMany }, readGrant),
        ['consumerSelector: "consumerSelector" must have at most 32 labels'],
      ],
    ];
    for (const [read, problems] of expected) assert.deepEqual(problemsOf(read as { value: unknown }), problems);
  });
});

const beyond: Stored<Consumer> = {
  resource: {
    id: 'acme',
    name: null,
    description: 'd'.repeat(2000),
    email: null,
    team: null,
    labels: labelsOf(100, 70),
    enabled: true,
    allowFrom: null,
  },
  ...{ revision: 1, createdAt: 0, updatedAt: 0 },
};

function outcomeOf(planned: Planned): unknown {
  return 'problems' in planned ? planned.problems.map(({ message }) => message) : 'taken';
}

describe('what a store has beyond a bound', () => {
  it('can be changed elsewhere, and shrink', () => {
    const [first = ''] = Object.keys(beyond.resource.labels);
    for (const wish of [
      { enabled: false },
      { name: 'Acme' },
      { description: 'd'.repeat(1999) },
      { [`labels.${first}`]: undefined },
      { labels: { tier: 'gold' } },
    ]) {
      assert.equal(outcomeOf(planConsumerEdit(beyond, wish)), 'taken', Object.keys(wish).join());
    }
  });

  it('cannot grow, nor be written anew', () => {
    const longLabels = ['"labels" must have labels whose names and values hold at most 63 characters'];
    assert.deepEqual(outcomeOf(planConsumerEdit(beyond, { description: 'd'.repeat(2001) })), [
      '"description" must hold at most 1024 characters',
    ]);
    assert.deepEqual(outcomeOf(planConsumerEdit(beyond, { 'labels.more': 'x' })), [
      '"labels" must have at most 32 labels',
    ]);
    assert.deepEqual(outcomeOf(planConsumerEdit(beyond, { labels: { ['x'.repeat(64)]: '' } })), longLabels);
    const { id, allowFrom, email, team, ...fields } = beyond.resource;
    assert.deepEqual([allowFrom, email, team], [null, null, null]);
    assert.deepEqual(outcomeOf(planNewConsumer(id, { ...fields, name: undefined, labels: labelsOf(3, 64) }, null)), [
      '"description" must hold at most 1024 characters',
      ...longLabels,
    ]);
  });

  it('of a list of an endpoint can lose any item', () => {
    const paths = many(120, (at) => ({ prefix: `/${'p'.repeat(1100)}${String(at)}` }));
    const stored = readPlain({ ...endpoint, match: { paths } }, readEndpoint, { ...endpoint, match: { paths } });
    assert.ok('value' in stored);
    const current = { resource: stored.value, revision: 1, createdAt: 0, updatedAt: 0 };
    assert.equal(outcomeOf(planEndpointEdit(current, { 'match.paths': paths.slice(1) }, [])), 'taken');
    assert.equal(outcomeOf(planEndpointEdit(current, { enabled: false }, [])), 'taken');
    assert.deepEqual(outcomeOf(planEndpointEdit(current, { 'match.paths': [...paths, { exact: '/more' }] }, [])), [
      '"paths" must have at most 100 items',
    ]);
  });
});

describe('the id of a grant for a group', () => {
  it('fits a URL, however its letters are encoded', () => {
    const label = fc.record({
      ...{ letter: fc.constantFrom('a', '~', '%', ' ', 'é', '𝒜', '='), name: fc.nat(60), value: fc.nat(63) },
    });
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: MAX_LABELS }), (labels) => {
        const consumerSelector = Object.fromEntries(
          labels.map(({ letter, name, value }, at) => [`${letter.repeat(name)}${String(at)}`, letter.repeat(value)]),
        );
        const read = readPlain({ endpoint: 'orders', consumerSelector }, readGrant);
        if ('problems' in read) return;
        const id = shownGrantId(read.value);
        assert.equal(id, grantId(read.value));
        assert.ok(id.length <= 'orders/'.length + MAX_GRANT_HOLDER_CHARACTERS);
        assert.ok(encodeURIComponent(id).length < 8192);
      }),
    );
  });

  it('is refused where the letters are many in it', () => {
    const consumerSelector = labelsOf(MAX_LABELS, MAX_LABEL_CHARACTERS, 'é');
    assert.match(
      String(problemsOf(readPlain({ endpoint: 'orders', consumerSelector }, readGrant))),
      /at most 4096 characters in the id/,
    );
  });

  it('is a hash where an older store has more labels than a URL holds', () => {
    const target = { endpointId: 'orders', consumerSelector: labelsOf(12_000, 8) };
    const id = shownGrantId(target);
    assert.match(id, /^orders\/~[\w-]{43}$/);
    assert.equal(endpointOfShortId(id), 'orders');
    assert.equal(parseGrantId(id), null);
    const other = { ...target, consumerSelector: labelsOf(12_001, 8) };
    assert.notEqual(shownGrantId(other), id);
  });

  it('is given no more often on an endpoint than a check looks through', () => {
    const groups = many(MAX_GROUP_GRANTS_OF_ENDPOINT, (priority) => ({
      ...{
        endpointId: 'orders',
        consumerSelector: { tier: String(priority) },
        priority,
        limits: null,
        expiresAt: null,
      },
    }));
    const target = { endpointId: 'orders', consumerSelector: { tier: 'new' } };
    const planned = planGrant(target, { priority: 1000 }, null, groups);
    assert.ok('conflict' in planned);
    assert.equal(planned.conflict, '"orders" has 100 grants for groups or more, as many as may be; remove one');
    assert.ok('changes' in planGrant(target, { priority: 1000 }, null, groups.slice(1)));
  });
});
