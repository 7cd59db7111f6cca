import assert from 'node:assert/strict';
import fc from 'fast-check';
import { operationOf } from '../../../../src/operators/api/change.ts';
import type { Change } from '../../../../src/resources/changes/change.ts';
import { Outdated } from '../../../../src/resources/changes/resource-store.ts';
import { type Consumer, consumerDefaults } from '../../../../src/model/consumer.ts';
import type { Endpoint } from '../../../../src/model/endpoint.ts';
import type { Grant } from '../../../../src/model/grant.ts';
import { parseLabelOwners } from '../../../../src/model/label-owners.ts';
import type { Labels } from '../../../../src/model/labels.ts';
import { type Operator, operatorDefaults, operatorRoles } from '../../../../src/model/operator.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { readPlain } from '../../../../src/model/document/read-plain.ts';
import { declareConsumer } from '../../../../src/resources/consumer.ts';
import { declareEndpoint, readEndpoint } from '../../../../src/resources/endpoint.ts';
import { declareSentChange } from '../../../../src/resources/changes/wire/sent-change.ts';
import { idOfResource } from '../../../../src/resources/declare-resource.ts';
import { declareGrant, grantId } from '../../../../src/resources/grant.ts';
import { MemoryApi } from '../../../support/api/memory-api.ts';
import { credentialWith } from '../../resources/changes/credentials.ts';

/** One of some values, all of one type. */
function oneOf<T>(...values: readonly T[]): fc.Arbitrary<T> {
  return fc.constantFrom(...values);
}

/** Labels that decide who reaches what. `tier` is reserved to administrators. */
const labels: fc.Arbitrary<Labels> = oneOf<Labels>(
  {},
  { team: 'a' },
  { team: 'b' },
  { team: 'a', env: 'x' },
  { team: 'a', tier: 'gold' },
);
const labelOwners = parseLabelOwners('tier:admins') ?? assert.fail();

const operators: fc.Arbitrary<Operator> = fc
  .record({
    role: fc.constantFrom(...operatorRoles, 'operator' as const, 'admin' as const, 'admin' as const),
    selector: oneOf<Labels>({}, { team: 'a' }, { team: 'a' }, { team: 'a', env: 'x' }, { team: 'b' }),
    hosts: oneOf<readonly string[]>([], [], ['*.example.com']),
    pathPrefixes: oneOf<readonly string[]>([], [], ['/one']),
  })
  .map((rights) => ({ ...operatorDefaults, id: 'oscar', ...rights }));

function endpointOf(own: Labels, host: string, prefix: string, description = ''): Endpoint {
  const match = { hosts: [host], paths: [{ prefix }] };
  const access = { authentication: 'key', accessCondition: 'authenticated-and-authorized' };
  const declared = { id: 'target', description, labels: own, match, scenario: 'partner-openapi', ...access };
  const read = readPlain<Endpoint>(declared, readEndpoint);
  assert.ok('value' in read, JSON.stringify(read));
  return read.value;
}

const hosts = fc.constantFrom('api.example.com', 'api.example.org');
const prefixes = fc.constantFrom('/one', '/one/more', '/onerous', '/two');
const endpoints = fc.tuple(labels, hosts, prefixes, fc.constantFrom('', 'said')).map((parts) => endpointOf(...parts));
const consumers: fc.Arbitrary<Consumer> = fc
  .tuple(labels, fc.constantFrom(null, 'Named'))
  .map(([own, name]) => ({ ...consumerDefaults, id: 'target', labels: own, name }));

const free = { limits: null, expiresAt: null } as const;
const limited = { limits: [{ requests: 1, unit: 'second', per: 'consumer' }], expiresAt: null } as const;
const groups = oneOf<Labels>({ team: 'a' }, { tier: 'gold' }, { team: 'a', env: 'x' }, { team: 'b' });

/** From what to what a resource is led; null for none. What grants and credentials belong to is there already. */
interface Transition {
  readonly kind: 'endpoint' | 'consumer' | 'grant' | 'credential';
  readonly before: Endpoint | Consumer | Grant | null;
  readonly after: Endpoint | Consumer | Grant | null;
  readonly owner: {
    readonly endpoint: Labels;
    readonly consumer: Labels;
    readonly host: string;
    readonly path: string;
  };
}

const owner = fc.record({ endpoint: labels, consumer: labels, host: hosts, path: prefixes });
const none = fc.constant(null);
const withNone = <T>(each: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.oneof(none, each, each);

const grantSides = fc
  .oneof(
    fc.constant({ consumerId: 'holder' }),
    groups.map((consumerSelector) => ({ consumerSelector, priority: 5 })),
  )
  .chain((to) => {
    const grant = (more: typeof free | typeof limited): Grant => ({ endpointId: 'place', ...to, ...more });
    return oneOf<readonly [Grant | null, Grant | null]>(
      [null, grant(free)],
      [grant(free), null],
      [grant(free), grant(limited)],
      [grant(limited), grant(free)],
    );
  });

const transitions: fc.Arbitrary<Transition> = fc
  .oneof(
    fc.tuple(fc.constant('endpoint' as const), withNone(endpoints), withNone(endpoints), owner),
    fc.tuple(fc.constant('consumer' as const), withNone(consumers), withNone(consumers), owner),
    fc.tuple(grantSides, owner).map(([[before, after], own]) => ['grant' as const, before, after, own] as const),
    owner.map((own) => ['credential' as const, null, null, own] as const),
  )
  .map(([kind, before, after, own]) => ({ kind, before, after, owner: own }));

/** A way by its name, which gives the status of the answer, and what is there before it. */
type Attempt = readonly [name: string, way: (api: MemoryApi) => Promise<number>, begin: Transition['before']];

const headers = { 'if-match': '*' };

/** Makes the operator who asks, and what there is before a way is tried, of one API: a new one takes a while. */
async function prepare(
  api: MemoryApi,
  operator: Operator,
  state: Transition['before'],
  { kind, owner: own }: Transition,
): Promise<void> {
  const setup = { actor: 'setup', action: 'setup' };
  const there: Change[] = [];
  for (const each of ['grant', 'credential', 'consumer', 'endpoint'] as const) {
    for await (const before of api.store.list(each)) {
      there.push({ kind: each, id: idOfResource(before.resource), before, after: null } as unknown as Change);
    }
  }
  if (there.length > 0) await api.store.commit(there, setup);
  const before = await api.store.find('operator', 'oscar');
  const tokens = before?.resource.tokens ?? [];
  const made: Change[] = [{ kind: 'operator', id: 'oscar', before, after: { ...operator, tokens } }];
  const create = (of: Change['kind'], after: object, id: string): unknown =>
    made.push({ kind: of, id, before: null, after } as unknown as Change);
  if (kind === 'grant' || kind === 'credential') {
    create('endpoint', { ...endpointOf(own.endpoint, own.host, own.path), id: 'place' }, 'place');
    create('consumer', { ...consumerDefaults, id: 'holder', labels: own.consumer }, 'holder');
  }
  if (kind === 'credential') {
    appKeys += 1;
    const appKey = `target-${String(appKeys)}`;
    create('credential', credentialWith({ id: 'target', consumerId: 'holder', ...keyed(appKey) }), 'target');
  } else if (state !== null) create(kind, state, kind === 'grant' ? grantId(state as Grant) : 'target');
  await api.store.commit(made, setup);
}

/** No App Key is given twice. */
let appKeys = 0;

function keyed(text: string): { readonly appKey: Secret; readonly appKeyHash: string } {
  return { appKey: Secret.fromText(text), appKeyHash: hashAppKey(text) };
}

/** The changes of a transition as a plan has them, on what the store has. */
async function changeOf(api: MemoryApi, { kind, after }: Transition, before: Transition['before']): Promise<Change> {
  const id = kind === 'grant' ? grantId((before ?? after) as Grant) : 'target';
  return { kind, id, before: await api.store.find(kind, id), after } as unknown as Change;
}

/** By the route of its kind. */
async function directly(api: MemoryApi, { kind, before, after }: Transition, dryRun: string): Promise<number> {
  const ask = async (method: string, path: string, body?: object): Promise<number> =>
    (await api.ask('oscar', method, `${path}?dryRun=${dryRun}`, { headers, ...(body === undefined ? {} : { body }) }))
      .status;
  if (kind === 'grant') {
    const [endpoint = '', to = ''] = grantId((before ?? after) as Grant).split('/');
    const path = `/v1/grants/${endpoint}/${encodeURIComponent(to)}`;
    if (after === null) return await ask('DELETE', path);
    const declared = declareGrant(after as Grant);
    if (before === null) return await ask('POST', '/v1/grants', declared);
    return await ask('PATCH', path, { limits: declared['limits'] ?? null });
  }
  const path = `/v1/${kind}s`;
  if (after === null) return await ask('DELETE', `${path}/target`);
  const { id, ...declared } =
    kind === 'endpoint' ? declareEndpoint(after as Endpoint) : declareConsumer(after as Consumer);
  if (before === null) return await ask('POST', path, { id, ...declared });
  const unset = Object.fromEntries(Object.keys((before as Endpoint).labels).map((name) => [name, null]));
  const cleared = kind === 'endpoint' ? { description: null } : { name: null };
  return await ask('PATCH', `${path}/target`, {
    ...cleared,
    ...declared,
    labels: { ...unset, ...(after as Endpoint).labels },
  });
}

/** The store takes the change as the operator's, without the API before it. */
async function committed(api: MemoryApi, operator: Operator, change: Change): Promise<number> {
  const asker = { operator, via: 'api', reason: undefined, labelOwners } as const;
  try {
    await api.store.commit([change], operationOf(asker, 'test'));
    return 200;
  } catch (error) {
    if (error instanceof Outdated) return 403;
    throw error;
  }
}

/** By the changes that a command has planned. */
async function commanding(api: MemoryApi, transition: Transition, dryRun: string): Promise<number> {
  const change = await changeOf(api, transition, transition.before);
  const body = { action: 'test', changes: [declareSentChange(change)] };
  return (await api.ask('oscar', 'POST', `/v1/resources:change?dryRun=${dryRun}`, { body })).status;
}

/** By undoing what an administrator did, who led the resource the other way. */
async function reverting(api: MemoryApi, transition: Transition, scope: string, dryRun: string): Promise<number> {
  const { before, after } = transition;
  const back = await changeOf(api, { ...transition, after: before }, after);
  await api.store.commit([back], { actor: 'root', action: 'api test' });
  const { body } = await api.ask('root', 'GET', '/v1/audit?limit=1');
  const [event] = body['items'] as readonly { readonly event: string }[];
  const path = `/v1/audit/${event?.event ?? ''}:revert?revive=true&scope=${scope}&dryRun=${dryRun}`;
  return (await api.ask('oscar', 'POST', path)).status;
}

/** Every way by which an operator can try the same. */
function waysOf(operator: Operator, transition: Transition): readonly Attempt[] {
  const { kind, before, after } = transition;
  if (kind === 'credential') {
    const change = async (api: MemoryApi, method: string, path: string, body?: object): Promise<number> =>
      (await api.ask('oscar', method, path, { headers, ...(body === undefined ? {} : { body }) })).status;
    const own = { consumer: 'holder' };
    return ['true', 'false'].flatMap((dryRun): readonly Attempt[] => [
      [
        `issue ${dryRun}`,
        (api) => change(api, 'POST', `/v1/credentials:issue?dryRun=${dryRun}`, { ...own, method: 'hmac' }),
        null,
      ],
      [
        `import ${dryRun}`,
        (api) =>
          change(api, 'POST', `/v1/credentials:import?dryRun=${dryRun}`, {
            ...own,
            methods: ['key'],
            appKey: `imported-${String(appKeys)}`,
          }),
        null,
      ],
      [`rotate ${dryRun}`, (api) => change(api, 'POST', `/v1/credentials/target:rotate?dryRun=${dryRun}`, {}), null],
      [
        `edit ${dryRun}`,
        (api) =>
          change(api, 'PATCH', `/v1/credentials/target?dryRun=${dryRun}`, {
            allowFrom: [`10.0.${String(appKeys >> 8)}.${String(appKeys & 255)}`],
          }),
        null,
      ],
      [`revoke ${dryRun}`, (api) => change(api, 'POST', `/v1/credentials/target:revoke?dryRun=${dryRun}`), null],
    ]);
  }
  return [
    ['the route', async (api) => await directly(api, transition, 'false'), before],
    ['a dry run', async (api) => await directly(api, transition, 'true'), before],
    ['a command', async (api) => await commanding(api, transition, 'false'), before],
    ['a dry run of a command', async (api) => await commanding(api, transition, 'true'), before],
    ['revert', async (api) => await reverting(api, transition, 'event', 'false'), after],
    ['revert as a dry run', async (api) => await reverting(api, transition, 'event', 'true'), after],
    ['revert of the command', async (api) => await reverting(api, transition, 'command', 'false'), after],
    ['the store', async (api) => await committed(api, operator, await changeOf(api, transition, before)), before],
  ];
}

describe('what an operator may change', () => {
  let api: MemoryApi;
  before(async () => {
    api = new MemoryApi({}, labelOwners);
    await api.add('root', 'admin');
    await api.add('oscar', 'viewer');
  });

  it('is the same by every way: what one refuses, all refuse', async function () {
    this.timeout(120_000);
    const seen = { allowed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(operators, transitions, async (operator, transition) => {
        const { kind, before, after } = transition;
        fc.pre(kind === 'credential' || JSON.stringify(before) !== JSON.stringify(after));
        // So that no minute has too many requests.
        api.now += 10;
        const outcomes: string[] = [];
        for (const [name, way, begin] of waysOf(operator, transition)) {
          await prepare(api, operator, begin, transition);
          const status = await way(api);
          assert.ok([200, 201, 403, 404].includes(status), `${name}: ${String(status)}`);
          outcomes.push(`${status < 300 ? 'allowed' : 'refused'} by ${name}`);
        }
        const isAllowed = outcomes[0]?.startsWith('allowed') === true;
        seen[isAllowed ? 'allowed' : 'refused'] += 1;
        assert.ok(
          outcomes.every((outcome) => outcome.startsWith(isAllowed ? 'allowed' : 'refused')),
          outcomes.join(', '),
        );
      }),
      { numRuns: 80 },
    );
    assert.ok(seen.allowed > 5 && seen.refused > 5, JSON.stringify(seen));
  });
});
