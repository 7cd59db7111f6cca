import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Change, Operation } from '../../src/resources/changes/change.ts';
import { grantId } from '../../src/resources/grant.ts';
import type { ManagedCredential, ResourceKind, ResourceOf, Stored } from '../../src/resources/resource.ts';
import {
  type AuditEvent,
  type AuditSelection,
  type AuditTrail,
  Conflict,
  Outdated,
  type ResourceStore,
  type NewestFirst,
  type Selection,
} from '../../src/resources/changes/resource-store.ts';
import { hashAppKey } from '../../src/model/app-key.ts';
import type { Labels } from '../../src/model/labels.ts';
import { type Operator, operatorDefaults } from '../../src/model/operator.ts';
import { Secret } from '../../src/model/secret.ts';
import { type FixedClock } from '../support/time/fixed-clock.ts';
import {
  consumer,
  grant,
  groupGrant,
  issuer,
  keyEndpoint,
  limit,
  partnerEndpoint,
  plan,
} from '../support/pipeline/resources.ts';
import { type GivenSecrets, materialWith } from '../support/store/secrets.ts';
import { claimsAppKey } from '../../src/model/derived-app-key.ts';
import { materialKindOf, tokenClaimsMaterial } from '../../src/model/material.ts';

/** A store under test, empty. */
export interface ResourceStoreUnderTest {
  readonly store: ResourceStore & AuditTrail;
  /** What the store takes the time from. */
  readonly clock: FixedClock;
}

/** App Secrets that tests look for where none may be. */
export const APP_SECRET = 'app-secret-of-the-contract-of-stores';
export const OTHER_SECRET = 'another-secret-of-the-contract-of-stores';

/** A credential with its App Key, `<id>-app-key` unless told otherwise, and an App Secret where its methods need one. */
export function managed({
  key,
  appSecret,
  retiringSecret = null,
  ...parts
}: Partial<ManagedCredential> & GivenSecrets & { readonly key?: string } = {}): ManagedCredential {
  const { id = 'acme-hmac', methods = ['hmac'] } = parts;
  const usual = materialKindOf(methods) === 'app-key' ? null : Secret.fromText(APP_SECRET);
  const appKey = key ?? `${id}-app-key`;
  return {
    id,
    consumerId: 'acme',
    methods,
    appKey: Secret.fromText(appKey),
    appKeyHash: hashAppKey(appKey),
    material: materialWith(appSecret ?? usual, retiringSecret),
    state: 'active',
    notBefore: null,
    expiresAt: null,
    allowFrom: null,
    ...parts,
  };
}

/** The making of a resource. */
export function creation<K extends ResourceKind>(kind: K, after: ResourceOf[K]): Change {
  const id = 'endpointId' in after ? grantId(after) : after.id;
  return { kind, id, before: null, after } as unknown as Change;
}

/** What is there, every secret in clear. */
export function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal().toString();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]));
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const operation = { actor: 'ada', action: 'test' };

/** The contract of {@link ResourceStore} and {@link AuditTrail} that every implementation keeps (spec §1, §6). */
export function describeResourceStoreContract(name: string, setUp: () => Promise<ResourceStoreUnderTest>): void {
  describe(`the resource store ${name}`, () => {
    let tested: ResourceStoreUnderTest;

    beforeEach(async () => {
      tested = await setUp();
    });

    const commit = async (...changes: readonly Change[]): Promise<number> =>
      await tested.store.commit(changes, operation);

    async function stored<K extends ResourceKind>(kind: K, id: string): Promise<Stored<ResourceOf[K]>> {
      const found = await tested.store.find(kind, id);
      assert.ok(found !== null, `there is no ${kind} ${id}`);
      return found;
    }

    /** A change of what is there now. */
    async function edit<K extends ResourceKind>(kind: K, id: string, parts: Partial<ResourceOf[K]>): Promise<Change> {
      const before = await stored(kind, id);
      return { kind, id, before, after: { ...before.resource, ...parts } } as unknown as Change;
    }

    async function deletion(kind: ResourceKind, id: string): Promise<Change> {
      return { kind, id, before: await stored(kind, id), after: null } as unknown as Change;
    }

    async function ids(kind: ResourceKind, selection?: Selection): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const { resource } of tested.store.list(kind, selection)) {
        found.push('endpointId' in resource ? grantId(resource) : resource.id);
      }
      return found;
    }

    async function events(selection: AuditSelection = {}): Promise<readonly AuditEvent[]> {
      return await collect(tested.store.events(selection));
    }

    /** Everything, with revisions: to show that nothing changed. */
    async function everything(): Promise<unknown> {
      const kinds = ['endpoint', 'consumer', 'credential', 'grant', 'plan', 'issuer'] as const;
      const all: unknown[] = [];
      for (const kind of kinds) all.push(...(await collect(tested.store.list(kind))));
      return revealed([...all, ...(await events())]);
    }

    async function assertConflict(changes: readonly Change[], message: RegExp): Promise<void> {
      const before = await everything();
      await assert.rejects(tested.store.commit(changes, operation), (error) => {
        assert.ok(error instanceof Conflict, inspect(error));
        assert.match(error.message, message);
        assertNoSecret(error.message);
        return true;
      });
      assert.deepEqual(await everything(), before, 'a refused commit changed something');
    }

    const whole = (): Change[] => [
      creation('endpoint', keyEndpoint()),
      creation('consumer', consumer()),
      creation('credential', managed()),
      creation('grant', grant()),
    ];

    describe('making and changing', () => {
      it('keeps every kind of resource as it was given', async () => {
        const endpoint = partnerEndpoint('hmac', { limits: [limit('100/minute/consumer')], labels: { 'a.b': 'c' } });
        const acme = consumer({ labels: { tier: 'gold' }, enabled: false });
        const granted = grant({ limits: [], expiresAt: 1_900_000_000 });
        const credentials = [
          managed({ notBefore: 1_790_000_000, expiresAt: 1_900_000_000, state: 'retiring' }),
          managed({ id: 'acme-key', methods: ['key'] }),
          managed({ id: 'acme-rotated', retiringSecret: { appSecret: Secret.fromText(OTHER_SECRET), expiresAt: 5 } }),
          managed({ id: 'hash-only', methods: ['key'], appKey: null }),
        ];
        await commit(
          creation('endpoint', endpoint),
          creation('consumer', acme),
          ...credentials.map((each) => creation('credential', each)),
          creation('grant', granted),
        );
        assert.deepEqual((await stored('endpoint', 'orders')).resource, endpoint);
        assert.deepEqual((await stored('consumer', 'acme')).resource, acme);
        assert.deepEqual((await stored('grant', 'orders/acme')).resource, granted);
        for (const each of credentials) {
          assert.deepEqual(revealed((await stored('credential', each.id)).resource), revealed(each));
        }
      });

      it('counts revisions and keeps times, in seconds', async () => {
        const created = tested.clock.nowSeconds();
        assert.equal(await commit(...whole()), 1);
        const first = await stored('consumer', 'acme');
        assert.deepEqual([first.revision, first.createdAt, first.updatedAt], [1, created, created]);
        tested.clock.advance(60);
        assert.equal(await commit(await edit('consumer', 'acme', { description: 'a partner' })), 2);
        const second = await stored('consumer', 'acme');
        assert.deepEqual([second.revision, second.createdAt, second.updatedAt], [2, created, created + 60]);
        assert.equal(second.resource.description, 'a partner');
        assert.equal((await stored('grant', 'orders/acme')).revision, 1);
      });

      it('finds nothing where nothing is', async () => {
        for (const kind of ['endpoint', 'consumer', 'credential', 'grant'] as const) {
          assert.equal(await tested.store.find(kind, 'orders/acme'), null);
          assert.deepEqual(await ids(kind), []);
        }
      });

      it('lists by id, and what is selected only', async () => {
        await commit(
          ...['b', 'a-b', 'a'].map((id) => creation('endpoint', keyEndpoint({ id, paths: [{ prefix: `/${id}` }] }))),
          ...['other', 'acme'].map((id) => creation('consumer', consumer({ id }))),
          creation('credential', managed({ id: 'z' })),
          creation('credential', managed({ id: 'y', consumerId: 'other' })),
          creation('credential', managed({ id: 'x' })),
          ...['a', 'b'].map((endpointId) => creation('grant', grant({ endpointId }))),
          creation('grant', grant({ endpointId: 'a', consumerId: 'other' })),
        );
        assert.deepEqual(await ids('endpoint'), ['a', 'a-b', 'b']);
        assert.deepEqual(await ids('endpoint', { ids: ['b', 'a', 'b', 'nothing'] }), ['a', 'b']);
        assert.deepEqual(await ids('endpoint', { ids: [] }), []);
        assert.deepEqual(await ids('credential'), ['x', 'y', 'z']);
        assert.deepEqual(await ids('credential', { consumerId: 'acme' }), ['x', 'z']);
        assert.deepEqual(await ids('credential', { consumerIds: ['other', 'nobody'] }), ['y']);
        assert.deepEqual(await ids('grant', { endpointIds: ['a', 'nowhere'] }), ['a/acme', 'a/other']);
        assert.deepEqual(await ids('grant', { endpointIds: ['b', 'a'], consumerIds: ['acme'] }), ['a/acme', 'b/acme']);
        assert.deepEqual(await ids('credential', { consumerId: 'acme', ids: ['y', 'z'] }), ['z']);
        assert.deepEqual(await ids('credential', { appKeyHashes: [hashAppKey('x-app-key')] }), ['x']);
        assert.deepEqual(await ids('grant', { consumerId: 'acme' }), ['a/acme', 'b/acme']);
        assert.deepEqual(await ids('grant', { endpointId: 'a' }), ['a/acme', 'a/other']);
        assert.deepEqual(await ids('grant', { endpointId: 'b', consumerId: 'other' }), []);
      });

      it('lists what carries labels, whatever their names', async () => {
        const labelled = (id: string, labels: Labels): Change[] => [
          creation('endpoint', keyEndpoint({ id, paths: [{ prefix: `/${id}` }], labels })),
          creation('consumer', consumer({ id, labels })),
        ];
        await commit(
          ...labelled('a', { team: 'payments', 'a.b': '$c', $d: 'e' }),
          ...labelled('b', { team: 'payments', a: 'b' }),
          ...labelled('c', { team: 'billing' }),
          ...labelled('d', {}),
        );
        for (const kind of ['endpoint', 'consumer'] as const) {
          assert.deepEqual(await ids(kind, { labels: { team: 'payments' } }), ['a', 'b']);
          assert.deepEqual(await ids(kind, { labels: { team: 'payments', 'a.b': '$c', $d: 'e' } }), ['a']);
          assert.deepEqual(await ids(kind, { labels: { 'a.b': 'c' } }), []);
          assert.deepEqual(await ids(kind, { labels: { toString: 'x' } }), []);
          assert.deepEqual(await ids(kind, { labels: { team: 'payments' }, ids: ['b', 'c'] }), ['b']);
          assert.deepEqual(await ids(kind, { labels: {} }), ['a', 'b', 'c', 'd']);
        }
      });

      it('lists the newest first, from a place on', async () => {
        for (const id of ['b', 'a', 'c']) await commit(creation('consumer', consumer({ id, labels: { odd: id } })));
        const newest = async (behind: NewestFirst['behind'], more: Selection = {}): Promise<readonly string[]> =>
          await ids('consumer', { ...more, newest: { by: 'createdAt', behind } });
        const all = await newest(null);
        const times = new Map<string, number>();
        for (const id of all) times.set(id, (await stored('consumer', id)).createdAt);
        const sorted = [...all].sort(
          (one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0) || (one < other ? 1 : -1),
        );
        assert.deepEqual([all.length, all], [3, sorted]);
        for (const [index, id] of all.entries()) {
          assert.deepEqual(await newest({ atSeconds: times.get(id) ?? 0, id }, { most: 1 }), all.slice(index + 1));
        }
        assert.deepEqual(await newest(null, { labels: { odd: 'a' } }), ['a']);
      });

      it('lists by the beginning of ids and by parts of names, whatever their case', async () => {
        const named = (id: string, name: string | null): Change => creation('consumer', consumer({ id, name }));
        await commit(named('acme-eu', 'ACME (Europe)'), named('globex', 'Globex über'), named('macme', null));
        const namedLike = async (text: string): Promise<readonly string[]> =>
          await ids('consumer', { namedLike: text });
        assert.deepEqual(await namedLike('ACME-'), ['acme-eu']);
        assert.deepEqual(await namedLike('(europe)'), ['acme-eu']);
        assert.deepEqual(await namedLike('ÜBER'), ['globex']);
        assert.deepEqual(await namedLike('m'), ['acme-eu', 'macme']);
        assert.deepEqual(await namedLike('.*'), []);
        assert.deepEqual(await namedLike('^'), []);
        const after = await ids('consumer', { namedLike: 'e', after: 'acme-eu', labels: {}, most: 1 });
        assert.deepEqual(after, ['globex']);
      });

      it('lists each once, in order, where ids and names and more than a thousand of them fit', async () => {
        const numbers = Array.from({ length: 1100 }, (_, index) => String(index).padStart(4, '0'));
        const labels = { team: 'payments' };
        const many = numbers.map((number) =>
          creation('consumer', consumer({ id: `n${number}`, name: `N${number}`, labels })),
        );
        await commit(...many, creation('consumer', consumer({ id: 'a', name: 'Not these' })));
        const found = await ids('consumer', { namedLike: 'n' });
        assert.deepEqual(found, ['a', ...numbers.map((number) => `n${number}`)]);
        assert.deepEqual(await ids('consumer', { namedLike: 'n', labels, after: 'n1097', most: 1 }), [
          'n1098',
          'n1099',
        ]);
        assert.deepEqual(await ids('consumer', { namedLike: 'n109', after: 'n1097' }), ['n1098', 'n1099']);
      });

      it('keeps grants for groups, and selects them', async () => {
        const odd = groupGrant({ consumerSelector: { 'a.b/$c': 'ü', tier: '' }, limits: [], expiresAt: 1_900_000_000 });
        const gold = groupGrant({ priority: 10, limits: [limit('7/day/consumer')] });
        await commit(...whole(), creation('grant', gold), creation('grant', odd));
        assert.deepEqual((await stored('grant', 'orders/tier=gold')).resource, gold);
        assert.deepEqual((await stored('grant', grantId(odd))).resource, odd);
        const all = ['orders/a.b%2F%24c=%C3%BC,tier=', 'orders/acme', 'orders/tier=gold'];
        assert.deepEqual(await ids('grant'), all);
        assert.deepEqual(await ids('grant', { endpointId: 'orders' }), all);
        assert.deepEqual(await ids('grant', { isForGroup: true }), [all[0], all[2]]);
        assert.deepEqual(await ids('grant', { isForGroup: true, endpointId: 'stock' }), []);
        assert.deepEqual(await ids('grant', { consumerId: 'acme' }), ['orders/acme']);
        assert.deepEqual(await ids('grant', { consumerIds: ['acme'] }), ['orders/acme']);
        await commit(await edit('grant', 'orders/tier=gold', { priority: -10 }));
        assert.deepEqual((await stored('grant', 'orders/tier=gold')).resource, { ...gold, priority: -10 });
        const [event] = await events({ resource: { kind: 'grant', id: 'orders/tier=gold' } });
        assert.deepEqual([event?.before?.['priority'], event?.after?.['priority']], [10, -10]);
        assert.deepEqual(event?.after?.['consumerSelector'], { tier: 'gold' });
      });

      it('lets grants for groups change places in one commit', async () => {
        const region = (value: string, priority: number): ReturnType<typeof groupGrant> =>
          groupGrant({ consumerSelector: { region: value }, priority });
        await commit(
          ...whole(),
          ...[region('eu', 1), region('us', 2), region('jp', 3)].map((g) => creation('grant', g)),
        );
        await commit(
          await edit('grant', 'orders/region=eu', { priority: 2 }),
          await edit('grant', 'orders/region=us', { priority: 1 }),
          creation('grant', region('uk', 3)),
          await deletion('grant', 'orders/region=jp'),
        );
        const priorities = await Promise.all(
          ['eu', 'us', 'uk'].map(async (value) => {
            const { resource } = await stored('grant', `orders/region=${value}`);
            return 'priority' in resource ? resource.priority : null;
          }),
        );
        assert.deepEqual(priorities, [2, 1, 3]);
      });

      it('keeps plans, and lists them by id', async () => {
        const listing = plan({ id: 'bulk', consumerSelector: {}, endpointIds: ['orders'], priority: -7 });
        await commit(...whole(), creation('plan', listing), creation('plan', plan()));
        assert.deepEqual(await ids('plan'), ['bulk', 'gold']);
        assert.deepEqual((await stored('plan', 'bulk')).resource, listing);
        assert.deepEqual((await stored('plan', 'gold')).resource, plan());
        await commit(await edit('plan', 'gold', { limits: [{ requests: 5, unit: 'month' }] }));
        assert.equal((await stored('plan', 'gold')).revision, 2);
        const [event] = await events({ resource: { kind: 'plan', id: 'gold' } });
        assert.deepEqual(event?.before?.['limits'], [{ requests: 2, unit: 'day' }]);
        assert.deepEqual(event.after?.['limits'], [{ requests: 5, unit: 'month' }]);
        await commit(await deletion('plan', 'bulk'));
        assert.deepEqual(await ids('plan'), ['gold']);
      });

      it('lets plans change places in one commit', async () => {
        const at = (id: string, priority: number) => creation('plan', plan({ id, priority }));
        await commit(at('a', 1), at('b', 2), at('c', 3));
        await commit(
          await edit('plan', 'a', { priority: 2 }),
          await edit('plan', 'b', { priority: 1 }),
          creation('plan', plan({ id: 'd', priority: 3 })),
          await deletion('plan', 'c'),
        );
        const priorities = await Promise.all(
          ['a', 'b', 'd'].map(async (id) => (await stored('plan', id)).resource.priority),
        );
        assert.deepEqual(priorities, [2, 1, 3]);
      });

      it('deletes an endpoint with the plan that lists it, or once the plan does not', async () => {
        await commit(...whole(), creation('plan', plan({ endpointIds: ['orders'] })));
        const others = [await deletion('grant', 'orders/acme'), await deletion('endpoint', 'orders')];
        await commit(...others, await edit('plan', 'gold', { endpointIds: null, endpointSelector: { a: 'b' } }));
        assert.deepEqual([await ids('endpoint'), await ids('plan')], [[], ['gold']]);
        await commit(await edit('plan', 'gold', { priority: 7 }));
        const about = await events({ endpointId: 'orders' });
        const kinds = about.map(({ kind }) => kind).toSorted();
        assert.deepEqual(kinds, ['endpoint', 'endpoint', 'grant', 'grant', 'plan', 'plan']);
      });

      it('keeps grants for groups when a consumer is deleted', async () => {
        await commit(...whole(), creation('grant', groupGrant()));
        const own = [await deletion('grant', 'orders/acme'), await deletion('credential', 'acme-hmac')];
        await commit(await deletion('consumer', 'acme'), ...own);
        assert.deepEqual(await ids('grant'), ['orders/tier=gold']);
      });

      it('deletes a consumer with all that is its own', async () => {
        await commit(...whole());
        const own = [await deletion('grant', 'orders/acme'), await deletion('credential', 'acme-hmac')];
        await commit(await deletion('consumer', 'acme'), ...own);
        assert.deepEqual([await ids('consumer'), await ids('credential'), await ids('grant')], [[], [], []]);
      });

      it('lets endpoints change places in one commit', async () => {
        const at = (id: string, prefix: string): ReturnType<typeof keyEndpoint> =>
          keyEndpoint({ id, paths: [{ prefix }] });
        await commit(creation('endpoint', at('a', '/one')), creation('endpoint', at('b', '/two')));
        await commit(
          await edit('endpoint', 'a', { match: at('a', '/two').match }),
          await edit('endpoint', 'b', { match: at('b', '/one').match }),
        );
        assert.deepEqual((await stored('endpoint', 'a')).resource.match.paths, [{ prefix: '/two' }]);
      });

      it('gives a credential another App Key, and its own former one back', async () => {
        await commit(...whole());
        await commit(await edit('credential', 'acme-hmac', managed({ key: 'second' })));
        await commit(await edit('credential', 'acme-hmac', managed()));
        assert.equal((await stored('credential', 'acme-hmac')).resource.appKeyHash, hashAppKey('acme-hmac-app-key'));
      });
    });

    describe('conflicts', () => {
      beforeEach(async () => {
        await commit(...whole());
      });

      it('refuses what was planned on a former state', async () => {
        const late = await edit('consumer', 'acme', { name: 'Late' });
        const lateDeletion = await deletion('grant', 'orders/acme');
        await commit(
          await edit('consumer', 'acme', { name: 'Early' }),
          await edit('grant', 'orders/acme', { limits: [] }),
        );
        await assertConflict([late], /^the consumer "acme" was changed meanwhile/);
        await assertConflict([lateDeletion], /^the grant "orders\/acme" was changed meanwhile/);
      });

      it('refuses what was planned on something that is deleted', async () => {
        const late = await edit('grant', 'orders/acme', { limits: [] });
        const lateDeletion = await deletion('grant', 'orders/acme');
        await commit(await deletion('grant', 'orders/acme'));
        await assertConflict([late], /^the grant "orders\/acme" was deleted meanwhile/);
        await assertConflict([lateDeletion], /^the grant "orders\/acme" was deleted meanwhile/);
      });

      it('makes all changes or none', async () => {
        const good = creation('consumer', consumer({ id: 'good' }));
        const late = await edit('consumer', 'acme', { name: 'Late' });
        await commit(await edit('consumer', 'acme', { name: 'Early' }));
        await assertConflict([good, late], /"acme" was changed/);
        assert.equal(await tested.store.find('consumer', 'good'), null);
        assert.ok((await commit(good)) > 2);
      });

      it('refuses an id that is taken', async () => {
        const other = managed({ key: 'other' });
        await assertConflict([creation('endpoint', keyEndpoint())], /the endpoint "orders" already exists/);
        await assertConflict([creation('consumer', consumer())], /the consumer "acme" already exists/);
        await assertConflict([creation('credential', other)], /the credential "acme-hmac" already exists/);
        await assertConflict([creation('grant', grant())], /the grant "orders\/acme" already exists/);
      });

      it('refuses an App Key that is taken, whatever the methods', async () => {
        const taken = managed({ id: 'new', methods: ['key'], key: 'acme-hmac-app-key' });
        await assertConflict([creation('credential', taken)], /App Key of the credential "(new|acme-hmac)" is/);
        const twins = ['one', 'two'].map((id) => creation('credential', managed({ id, key: 'same' })));
        await assertConflict(twins, /App Key/);
      });

      it('never gives the App Key of a deleted credential again', async () => {
        await commit(await deletion('credential', 'acme-hmac'));
        await assertConflict(
          [creation('credential', managed())],
          /App Key of the credential "acme-hmac" was given before/,
        );
        const elsewhere = managed({ id: 'elsewhere', key: 'acme-hmac-app-key' });
        await assertConflict([creation('credential', elsewhere)], /was given before/);
        await commit(creation('credential', managed({ key: 'fresh' })));
      });

      it('never gives an App Key that a credential had before to another one', async () => {
        await commit(await edit('credential', 'acme-hmac', managed({ key: 'second' })));
        const other = managed({ id: 'other', key: 'acme-hmac-app-key' });
        await assertConflict([creation('credential', other)], /was given before/);
      });

      it('refuses credentials and grants that lead nowhere', async () => {
        const nobody = managed({ id: 'new', consumerId: 'nobody' });
        await assertConflict([creation('credential', nobody)], /"nobody"/);
        await assertConflict([creation('grant', grant({ endpointId: 'nowhere' }))], /"?nowhere/);
        await assertConflict([creation('grant', grant({ consumerId: 'nobody' }))], /nobody/);
      });

      it('refuses to delete what others need', async () => {
        await assertConflict([await deletion('consumer', 'acme')], /acme/);
        await assertConflict([await deletion('endpoint', 'orders')], /orders/);
        await assertConflict(
          [await deletion('consumer', 'acme'), await deletion('credential', 'acme-hmac')],
          /orders\/acme/,
        );
      });

      it('refuses grants for groups with the same priority on one endpoint, ended ones too', async () => {
        await commit(creation('grant', groupGrant({ priority: 5, expiresAt: 1 })));
        const silver = groupGrant({ consumerSelector: { tier: 'silver' }, priority: 5 });
        const bronze = groupGrant({ consumerSelector: { tier: 'bronze' }, priority: 5 });
        await assertConflict([creation('grant', silver)], /priority/);
        await commit(creation('grant', { ...silver, priority: 6 }));
        await assertConflict([await edit('grant', 'orders/tier=silver', { priority: 5 })], /priority/);
        await assertConflict(
          [
            creation('grant', { ...bronze, priority: 7 }),
            creation('grant', groupGrant({ consumerSelector: { a: 'b' }, priority: 7 })),
          ],
          /priority/,
        );
        const stock = keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] });
        await commit(creation('endpoint', stock), creation('grant', { ...bronze, endpointId: 'stock' }));
      });

      it('refuses a grant for a group that leads nowhere, and to delete the endpoint of one', async () => {
        await assertConflict([creation('grant', groupGrant({ endpointId: 'nowhere' }))], /"?nowhere/);
        await commit(creation('grant', groupGrant()));
        await assertConflict(
          [await deletion('endpoint', 'orders'), await deletion('grant', 'orders/acme')],
          /tier=gold/,
        );
      });

      it('keeps issuers, whose "issuer" others may take over in one commit', async () => {
        const at = (id: string, iss: string) => creation('issuer', issuer({ id, issuer: iss, labels: { a: 'b.c' } }));
        await commit(at('a', 'one'), at('b', 'two'));
        assert.deepEqual(
          (await stored('issuer', 'a')).resource,
          issuer({ id: 'a', issuer: 'one', labels: { a: 'b.c' } }),
        );
        await commit(await edit('issuer', 'a', { issuer: 'two' }), await edit('issuer', 'b', { issuer: 'one' }));
        assert.equal((await stored('issuer', 'a')).resource.issuer, 'two');
        await assertConflict([at('c', 'two')], /"issuer"/);
        await commit(await deletion('issuer', 'a'));
        assert.deepEqual(await ids('issuer'), ['b']);
      });

      it('refuses credentials of an issuer that is not there, and to delete one that they name', async () => {
        const named = (id: string, claims: Readonly<Record<string, string>>) =>
          creation('credential', {
            ...managed({ id }),
            methods: ['jwt'] as const,
            material: tokenClaimsMaterial('partner-idp', claims),
            appKeyHash: hashAppKey(claimsAppKey('partner-idp', claims)),
            appKey: null,
          });
        await assertConflict([named('a', { azp: 'a' })], /"partner-idp"/);
        await commit(creation('issuer', issuer()), named('a', { azp: 'a' }));
        await assertConflict([await deletion('issuer', 'partner-idp')], /"a" names (?:the issuer )?"partner-idp"/);
        const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
        const more = names.map((name) => named(name, { [name]: 'x' }));
        await assertConflict(more, /more than 8 different sets of claims/);
        await commit(...more.slice(1));
        await commit(await deletion('credential', 'a'), ...more.slice(0, 1));
      });

      it('refuses plans with the same priority', async () => {
        await commit(creation('plan', plan({ priority: 5 })));
        await assertConflict([creation('plan', plan({ id: 'silver', priority: 5 }))], /priority/);
        await commit(creation('plan', plan({ id: 'silver', priority: 6 })));
        await assertConflict([await edit('plan', 'silver', { priority: 5 })], /priority/);
        const both = ['a', 'b'].map((id) => creation('plan', plan({ id, priority: 9 })));
        await assertConflict(both, /priority/);
      });

      it('refuses a plan that lists no endpoint of the store, and to delete one that a plan lists', async () => {
        await assertConflict([creation('plan', plan({ endpointIds: ['orders', 'nowhere'] }))], /"?nowhere/);
        await commit(creation('plan', plan({ endpointIds: ['orders'] })));
        await assertConflict([await edit('plan', 'gold', { endpointIds: ['nowhere'] })], /"?nowhere/);
        await assertConflict(
          [await deletion('endpoint', 'orders'), await deletion('grant', 'orders/acme')],
          /the plan "gold" lists (?:the endpoint )?"orders"/,
        );
      });

      it('refuses endpoints that claim the same requests, disabled ones too', async () => {
        const same = keyEndpoint({ id: 'same', enabled: false });
        await assertConflict([creation('endpoint', same)], /the endpoints "orders" and "same"/);
        const other = keyEndpoint({ id: 'other', paths: [{ prefix: '/other' }] });
        await commit(creation('endpoint', other));
        await assertConflict([await edit('endpoint', 'other', { match: keyEndpoint().match })], /same requests/);
      });
    });

    describe('an operation with a selector', () => {
      const team = { team: 'payments' };
      const own = { ...operation, selector: team };

      beforeEach(async () => {
        await commit(
          creation('endpoint', keyEndpoint({ labels: team })),
          creation('consumer', consumer({ labels: team })),
          creation('credential', managed()),
          creation('grant', grant()),
          creation('consumer', consumer({ id: 'blue', labels: { team: 'billing' } })),
        );
      });

      async function assertOutside(changes: readonly Change[]): Promise<void> {
        const before = await everything();
        await assert.rejects(tested.store.commit(changes, own), Outdated);
        assert.deepEqual(await everything(), before, 'a refused commit changed something');
      }

      it('changes, makes and deletes what belongs to it, in one commit or in several', async () => {
        const other = keyEndpoint({ id: 'refunds', paths: [{ prefix: '/refunds' }], labels: team });
        const onOther = grant({ endpointId: 'refunds', consumerId: 'blue' });
        await tested.store.commit([creation('endpoint', other), creation('grant', onOther)], own);
        await tested.store.commit([await edit('grant', 'orders/acme', { limits: [] })], own);
        await tested.store.commit([await edit('credential', 'acme-hmac', { state: 'revoked' })], own);
        await tested.store.commit(
          [await deletion('grant', 'refunds/blue'), await deletion('endpoint', 'refunds')],
          own,
        );
        assert.deepEqual(await ids('grant'), ['orders/acme']);
        const [event] = await events({ limit: 1 });
        assert.deepEqual(Object.keys(event ?? {}).includes('selector'), false);
      });

      it('changes nothing that does not carry its labels, and nothing to something that does not', async () => {
        await assertOutside([await edit('consumer', 'blue', { enabled: false })]);
        await assertOutside([await edit('consumer', 'blue', { labels: team })]);
        await assertOutside([await edit('consumer', 'acme', { labels: { team: 'billing' } })]);
        await assertOutside([await deletion('consumer', 'blue')]);
        await assertOutside([creation('consumer', consumer({ id: 'new' }))]);
        await assertOutside([creation('credential', managed({ id: 'blue-key', consumerId: 'blue' }))]);
      });

      it('changes nothing of an endpoint or consumer that got other labels since', async () => {
        const late = [
          await edit('grant', 'orders/acme', { limits: [] }),
          await deletion('grant', 'orders/acme'),
          creation('grant', grant({ consumerId: 'blue' })),
        ];
        const ofConsumer = [
          await edit('credential', 'acme-hmac', { state: 'revoked' }),
          await deletion('credential', 'acme-hmac'),
          creation('credential', managed({ id: 'acme-new' })),
        ];
        const endpointEdit = await edit('endpoint', 'orders', { description: 'late' });
        const consumerEdit = await edit('consumer', 'acme', { description: 'late' });
        await commit(await edit('endpoint', 'orders', { labels: { team: 'billing' } }));
        for (const change of [...late, endpointEdit]) await assertOutside([change]);
        await tested.store.commit([creation('credential', managed({ id: 'acme-early' }))], own);
        await commit(await edit('consumer', 'acme', { labels: {} }));
        for (const change of [...ofConsumer, consumerEdit]) await assertOutside([change]);
      });
    });

    describe('at once', () => {
      beforeEach(async () => {
        await commit(...whole());
      });

      const outcomes = async (work: readonly Promise<number>[]): Promise<number> => {
        const settled = await Promise.allSettled(work);
        for (const each of settled) {
          if (each.status === 'rejected') assert.ok(each.reason instanceof Conflict, inspect(each.reason));
        }
        return settled.filter(({ status }) => status === 'fulfilled').length;
      };

      it('takes one of several edits of one resource', async () => {
        const edits = await Promise.all(
          Array.from(
            { length: 8 },
            async (_, index) => await edit('consumer', 'acme', { name: `No ${String(index)}` }),
          ),
        );
        assert.equal(await outcomes(edits.map((each) => commit(each))), 1);
        assert.equal((await stored('consumer', 'acme')).revision, 2);
      });

      it('takes edits of different resources all, each with its own revision of the store', async () => {
        const made = Array.from({ length: 12 }, (_, index) => consumer({ id: `c${String(index)}` }));
        const revisions = await Promise.all(made.map((each) => commit(creation('consumer', each))));
        assert.deepEqual(
          revisions.toSorted((a, b) => a - b),
          made.map((_, index) => index + 2),
        );
      });

      it('gives an App Key once', async () => {
        const twins = ['one', 'two', 'three'].map((id) => commit(creation('credential', managed({ id, key: 'same' }))));
        assert.equal(await outcomes(twins), 1);
      });

      it('lets no credential outlive its consumer', async () => {
        await commit(creation('consumer', consumer({ id: 'other' })));
        const work = [
          commit(await deletion('consumer', 'other')),
          commit(creation('credential', managed({ id: 'new', consumerId: 'other' }))),
        ];
        assert.equal(await outcomes(work), 1);
        const isThere = (await tested.store.find('consumer', 'other')) !== null;
        assert.equal((await tested.store.find('credential', 'new')) !== null, isThere);
      });

      it('leaves somebody who manages operators, where an operation wants that', async () => {
        const admins = ['ada', 'bob', 'carla'].map((id) => ({ ...operatorDefaults, id, role: 'admin' }) as const);
        await commit(...admins.map((admin) => creation('operator', admin)));
        const keeping = { ...operation, keepsManager: true };
        const work = [
          await deletion('operator', 'ada'),
          await edit('operator', 'bob', { enabled: false }),
          await edit('operator', 'carla', { selector: { team: 'payments' } }),
        ].map((change) => tested.store.commit([change], keeping));
        assert.equal(await outcomes(work), 2);
        const left = await collect(tested.store.list('operator'));
        const managers = left.filter(
          ({ resource: { enabled, selector } }) => enabled && Object.keys(selector).length === 0,
        );
        assert.equal(managers.length, 1);
        const last = managers[0]?.resource.id ?? '';
        await assert.rejects(
          tested.store.commit([await deletion('operator', last)], keeping),
          /the last enabled admin/,
        );
        await commit(await deletion('operator', last));
      });

      it('lets one of two colliding endpoints in', async () => {
        const work = ['one', 'two'].map((id) =>
          commit(creation('endpoint', keyEndpoint({ id, paths: [{ prefix: '/both' }] }))),
        );
        assert.equal(await outcomes(work), 1);
      });
    });

    describe('what an operator may change', () => {
      const payments = { ...operatorDefaults, id: 'paula', role: 'admin', selector: { team: 'payments' } } as const;
      const asked = (rights: Partial<Operator> = {}): Operation => {
        const operator = { ...payments, ...rights };
        return { actor: operator.id, action: 'api test', rights: { operator, labelOwners: new Map() } };
      };
      const mine = { team: 'payments' };

      beforeEach(async () => {
        await commit(
          creation('operator', payments),
          creation('endpoint', keyEndpoint({ id: 'orders', labels: mine })),
          creation(
            'endpoint',
            keyEndpoint({ id: 'salaries', labels: { team: 'people' }, paths: [{ prefix: '/pay' }] }),
          ),
          creation('consumer', consumer({ id: 'acme', labels: mine })),
          creation('consumer', consumer({ id: 'initech', labels: { team: 'people' } })),
        );
      });

      it('is decided again when the change is made', async () => {
        const refused: readonly (readonly [change: Change, message: RegExp])[] = [
          [await edit('consumer', 'initech', { enabled: false }), /there is no consumer "initech"/],
          [await edit('consumer', 'acme', { labels: {} }), /must carry the labels of the operator: team=payments/],
          [await deletion('endpoint', 'salaries'), /there is no endpoint "salaries"/],
          [creation('credential', managed({ id: 'new', consumerId: 'initech' })), /there is no consumer "initech"/],
          [creation('grant', grant({ endpointId: 'salaries', consumerId: 'acme' })), /there is no endpoint "salaries"/],
          [creation('grant', grant({ endpointId: 'orders', consumerId: 'initech' })), /there is no consumer "initech"/],
          [
            creation('grant', groupGrant({ endpointId: 'orders', consumerSelector: { tier: 'gold' } })),
            /consumerSelector must name the labels/,
          ],
          [
            creation('endpoint', keyEndpoint({ id: 'mine', labels: mine, paths: [{ prefix: '/pay/me' }] })),
            /would take requests of an endpoint beyond reach/,
          ],
          [await edit('operator', 'paula', { selector: {} }), /only an admin without labels/],
        ];
        for (const [change, message] of refused) {
          await assert.rejects(tested.store.commit([change], asked()), (error) => {
            assert.ok(error instanceof Outdated, inspect(error));
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /people|salaries" such/);
            return true;
          });
        }
        await tested.store.commit([await edit('consumer', 'acme', { enabled: false })], asked());
        await tested.store.commit([creation('grant', grant({ endpointId: 'orders', consumerId: 'acme' }))], asked());
      });

      it('is by the rights that the operator has then, not by those that were seen', async () => {
        const change = await edit('consumer', 'acme', { enabled: false });
        const wider = asked({ selector: {}, id: 'paula' });
        await assert.rejects(
          tested.store.commit([await edit('consumer', 'initech', { enabled: false })], wider),
          Outdated,
        );
        await commit(await edit('operator', 'paula', { role: 'viewer' }));
        await assert.rejects(tested.store.commit([change], asked()), /the role viewer does not allow this/);
        await commit(await edit('operator', 'paula', { role: 'admin', enabled: false }));
        await assert.rejects(tested.store.commit([change], asked()), /the operator "paula" is not enabled any more/);
        await commit(await deletion('operator', 'paula'));
        await assert.rejects(tested.store.commit([change], asked()), /the operator "paula" is not enabled any more/);
      });
    });

    describe('since when labels are carried', () => {
      const since = async (id: string): Promise<unknown> => (await stored('consumer', id)).labelsSince;

      it('is noted for what changes, and for a new one whose id something else had', async () => {
        await commit(creation('consumer', consumer({ id: 'acme', labels: { team: 'payments' } })));
        assert.deepEqual(await since('acme'), {});
        tested.clock.advance(60);
        const first = tested.clock.nowSeconds();
        await commit(await edit('consumer', 'acme', { labels: { team: 'payments', 'tier.x': 'gold' } }));
        assert.deepEqual(await since('acme'), { 'tier.x': first });
        tested.clock.advance(60);
        await commit(await edit('consumer', 'acme', { enabled: false }));
        assert.deepEqual(await since('acme'), { 'tier.x': first });
        await commit(await edit('consumer', 'acme', { labels: { team: 'people' } }));
        assert.deepEqual(await since('acme'), { team: first + 60 });
        await commit(await deletion('consumer', 'acme'));
        tested.clock.advance(60);
        await commit(creation('consumer', consumer({ id: 'acme', labels: { team: 'payments' } })));
        assert.deepEqual(await since('acme'), { team: first + 120 });
      });
    });

    describe('the audit trail', () => {
      it('has an event for every change, newest first, with the resource before and after', async () => {
        const atMs = tested.clock.nowMs();
        await tested.store.commit(whole(), { actor: 'ada', action: 'apply' });
        tested.clock.advance(60);
        await tested.store.commit([await edit('consumer', 'acme', { enabled: false })], {
          ...{ actor: 'ben', action: 'consumer disable', reason: 'OPS-17: unpaid' },
        });
        tested.clock.advance(60);
        await tested.store.commit([await deletion('grant', 'orders/acme')], { actor: 'ada', action: 'grant remove' });
        const all = await events();
        assert.deepEqual(
          all.map(({ reason }) => reason),
          [undefined, 'OPS-17: unpaid', undefined, undefined, undefined, undefined],
        );
        assert.deepEqual(
          all.map(({ actor, action, storeRevision, kind, id }) => [actor, action, storeRevision, kind, id]),
          [
            ['ada', 'grant remove', 3, 'grant', 'orders/acme'],
            ['ben', 'consumer disable', 2, 'consumer', 'acme'],
            ['ada', 'apply', 1, 'grant', 'orders/acme'],
            ['ada', 'apply', 1, 'credential', 'acme-hmac'],
            ['ada', 'apply', 1, 'consumer', 'acme'],
            ['ada', 'apply', 1, 'endpoint', 'orders'],
          ],
        );
        assert.deepEqual(
          all.slice(0, 2).map(({ before, after }) => [before, after]),
          [
            [{ endpoint: 'orders', consumer: 'acme' }, null],
            [
              { id: 'acme', name: 'Acme Ltd', enabled: true },
              { id: 'acme', name: 'Acme Ltd', enabled: false },
            ],
          ],
        );
        assert.deepEqual(
          all.map((event) => [event.atMs - atMs, event.before === null]),
          [
            [120_000, false],
            [60_000, false],
            [0, true],
            [0, true],
            [0, true],
            [0, true],
          ],
        );
      });

      it('is selected by time, actor and resource', async () => {
        await tested.store.commit(whole(), { actor: 'ada', action: 'apply' });
        tested.clock.advance(60);
        const sinceMs = tested.clock.nowMs();
        await tested.store.commit(
          [creation('consumer', consumer({ id: 'other' })), await edit('consumer', 'acme', { enabled: false })],
          { actor: 'ben', action: 'apply' },
        );
        const named = async (selection: AuditSelection): Promise<readonly string[]> =>
          (await events(selection)).map(({ kind, id }) => `${kind} ${id}`);
        assert.deepEqual(await named({ sinceMs }), ['consumer acme', 'consumer other']);
        assert.deepEqual(await named({ sinceMs: sinceMs + 1 }), []);
        assert.deepEqual(await named({ actor: 'ben' }), ['consumer acme', 'consumer other']);
        assert.deepEqual(await named({ actor: 'nobody' }), []);
        assert.deepEqual(await named({ resource: { kind: 'consumer', id: 'acme' } }), [
          'consumer acme',
          'consumer acme',
        ]);
        assert.deepEqual(await named({ resource: { kind: 'grant', id: 'orders/acme' } }), ['grant orders/acme']);
        assert.deepEqual(await named({ resource: { kind: 'consumer', id: null }, actor: 'ada' }), ['consumer acme']);
        assert.deepEqual(await named({ limit: 1 }), ['consumer acme']);
        assert.deepEqual(await named({ untilMs: sinceMs - 1, limit: 1 }), ['grant orders/acme']);
        assert.deepEqual(await named({ untilMs: sinceMs, limit: 1 }), ['consumer acme']);
        assert.deepEqual(await named({ action: 'apply', limit: 1 }), ['consumer acme']);
        assert.deepEqual(await named({ action: 'export' }), []);
        assert.deepEqual(await named({ storeRevision: 2 }), ['consumer acme', 'consumer other']);
        const [newest] = await events({ limit: 1 });
        assert.match(String(newest?.event), /^[0-9a-f]{24}$/);
        assert.deepEqual(await events({ event: newest?.event }), [newest]);
        assert.deepEqual(await events({ event: newest?.event, storeRevision: 1 }), []);
      });

      it('has what concerns a partner or an endpoint, also when it is deleted', async () => {
        await commit(...whole(), creation('consumer', consumer({ id: 'other' })));
        await commit(await deletion('grant', 'orders/acme'), await deletion('credential', 'acme-hmac'));
        await commit(await deletion('consumer', 'acme'), await edit('endpoint', 'orders', { enabled: false }));
        const named = async (selection: AuditSelection): Promise<readonly string[]> =>
          (await events(selection)).map(({ storeRevision, kind, id }) => `${String(storeRevision)} ${kind} ${id}`);
        const grants = ['2 grant orders/acme', '1 grant orders/acme'];
        const ofAcme = ['3 consumer acme', '2 credential acme-hmac', '2 grant orders/acme', '1 grant orders/acme'];
        assert.deepEqual((await named({ consumerId: 'acme' })).toSorted(), [
          ...['1 consumer acme', '1 credential acme-hmac', '1 grant orders/acme'],
          ...['2 credential acme-hmac', '2 grant orders/acme', '3 consumer acme'],
        ]);
        assert.deepEqual(await named({ consumerId: 'acme', limit: 4 }), ofAcme);
        assert.deepEqual(await named({ consumerId: 'other' }), ['1 consumer other']);
        assert.deepEqual(await named({ endpointId: 'orders' }), ['3 endpoint orders', ...grants, '1 endpoint orders']);
        assert.deepEqual(await named({ endpointId: 'orders', consumerId: 'acme' }), grants);
        const resource = { kind: 'grant', id: null } as const;
        assert.deepEqual(await named({ consumerId: 'acme', endpointId: 'orders', resource, limit: 1 }), [grants[0]]);
        assert.deepEqual(await named({ consumerId: 'acme', storeRevision: 3, actor: 'ada' }), ['3 consumer acme']);
      });

      it('has whom each change belonged to when it was made, and is selected by that', async () => {
        const labels = { team: 'payments', 'tier.x': '$gold' };
        const grants = [
          grant({ endpointId: 'orders', consumerId: 'acme' }),
          groupGrant({ endpointId: 'orders', consumerSelector: { tier: 'gold' } }),
        ];
        await commit(
          creation('endpoint', keyEndpoint({ id: 'orders', labels: { ...labels, env: 'live' } })),
          creation('consumer', consumer({ id: 'acme', labels })),
          creation('credential', managed({ id: 'acme-hmac', consumerId: 'acme' })),
          ...grants.map((each) => creation('grant', each)),
        );
        await commit(await edit('consumer', 'acme', { labels: { team: 'people' } }));
        await commit(await edit('credential', 'acme-hmac', { state: 'revoked' }));
        await commit(creation('operator', { ...operatorDefaults, id: 'ada', role: 'admin' }));
        const named = async (selection: AuditSelection): Promise<readonly string[]> =>
          (await events(selection))
            .map(({ storeRevision, kind, id }) => `${String(storeRevision)} ${kind} ${id}`)
            .sort();
        const all = [
          ...['1 consumer acme', '1 credential acme-hmac', '1 endpoint orders'],
          ...['1 grant orders/acme', '1 grant orders/tier=gold'],
        ];
        assert.deepEqual(await named({ ownedBy: { team: 'payments' } }), all);
        assert.deepEqual(await named({ ownedBy: labels }), all);
        assert.deepEqual(await named({ ownedBy: { env: 'live' } }), ['1 endpoint orders', '1 grant orders/tier=gold']);
        assert.deepEqual(await named({ ownedBy: { team: 'people' } }), ['3 credential acme-hmac']);
        assert.deepEqual(await named({ hidesOperators: true, storeRevision: 4 }), []);
        assert.deepEqual(await named({ ownedBy: { team: 'payments' }, consumerId: 'acme', limit: 1 }), [
          '1 grant orders/acme',
        ]);
      });

      it('keeps what an operator was refused, as nobody’s', async () => {
        const attempt = {
          actor: 'petra',
          action: 'api refused POST /v1/consumers',
          kind: 'consumer',
          id: 'acme',
        } as const;
        await tested.store.keep({ ...attempt, reason: 'OPS-1', refused: 'the consumer "acme" already exists' });
        const [event] = await events();
        assert.deepEqual(event, {
          ...{ ...attempt, event: event?.event, atMs: tested.clock.nowMs(), reason: 'OPS-1', storeRevision: 0 },
          ...{ before: null, after: null, refused: 'the consumer "acme" already exists' },
        });
        assert.deepEqual(await events({ ownedBy: { team: 'payments' } }), []);
      });

      it('names the event that a change undoes', async () => {
        await commit(...whole());
        await commit(await edit('consumer', 'acme', { enabled: false }));
        const [stopped] = await events({ limit: 1 });
        const reverts = { event: stopped?.event ?? '', storeRevision: 2 };
        await commit({ ...(await edit('consumer', 'acme', { enabled: true })), reverts });
        assert.deepEqual(
          (await events({ resource: { kind: 'consumer', id: 'acme' } })).map((event) => event.reverts),
          [reverts, undefined, undefined],
        );
      });

      it('holds no secret, nor an App Key that is one', async () => {
        const key = managed({ id: 'acme-key', methods: ['key'] });
        await commit(...whole(), creation('credential', key));
        const appSecret = Secret.fromText(OTHER_SECRET);
        const retiringSecret = { appSecret: Secret.fromText(APP_SECRET), expiresAt: 1_900_000_000 };
        await commit(await edit('credential', 'acme-hmac', { material: materialWith(appSecret, retiringSecret) }));
        await commit(
          await edit('credential', 'acme-key', managed({ id: 'acme-key', methods: ['key'], key: 'changed-key' })),
        );
        await commit(await deletion('credential', 'acme-key'), await deletion('credential', 'acme-hmac'));
        const told = JSON.stringify(await events());
        assertNoSecret(told);
        for (const text of ['acme-key-app-key', 'changed-key', hashAppKey('changed-key')])
          assert.ok(!told.includes(text));
        assert.ok(told.includes('"appKey":"acme-hmac-app-key"'), 'a public App Key is told');
        assert.ok(told.includes('"consumer":"acme"'), 'whose credential it is');
      });
    });
  });
}

function assertNoSecret(text: string): void {
  assert.ok(!text.includes(APP_SECRET) && !text.includes(OTHER_SECRET), 'a secret was told');
}
