import assert from 'node:assert/strict';
import {
  planConsumerDeletion,
  planConsumerEdit,
  planNewConsumer,
} from '../../../../src/resources/changes/plan-consumer.ts';
import type { Wish } from '../../../../src/resources/changes/wish.ts';
import { hashOfAppKey } from '../../../../src/resources/changes/generate-credential.ts';
import type { ManagedCredential, Stored } from '../../../../src/resources/resource.ts';
import { type Consumer, consumerDefaults } from '../../../../src/model/consumer.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { appKeyMaterial } from '../../../../src/model/material.ts';

const acme: Consumer = {
  id: 'acme',
  name: 'Acme',
  description: 'a',
  email: null,
  team: null,
  labels: { tier: 'gold', region: 'eu' },
  enabled: true,
  allowFrom: null,
};

function stored<T>(resource: T): Stored<T> {
  return { resource, revision: 3, createdAt: 1, updatedAt: 2 };
}

describe('a wish for a consumer', () => {
  it('becomes a consumer, or a conflict when the id is taken', () => {
    assert.deepEqual(planNewConsumer('acme', { 'labels.tier': 'gold' }, null), {
      changes: [
        {
          kind: 'consumer',
          id: 'acme',
          before: null,
          after: { ...consumerDefaults, id: 'acme', labels: { tier: 'gold' } },
        },
      ],
    });
    assert.deepEqual(planNewConsumer('acme', {}, stored(acme)), {
      conflict: 'the consumer "acme" already exists',
      remedy: { kind: 'edit', resource: 'consumer', id: 'acme' },
      holder: {
        ...{ kind: 'consumer', id: 'acme' },
        unnamed: 'the consumer "acme" already exists; take another "id"',
      },
    });
  });

  it('changes what it names, labels one by one, and gives defaults back', () => {
    const cases: readonly (readonly [Wish, Partial<Consumer>])[] = [
      [{}, {}],
      [{ enabled: false }, { enabled: false }],
      [
        { name: 'Globex', 'labels.tier': 'silver' },
        { name: 'Globex', labels: { tier: 'silver', region: 'eu' } },
      ],
      [
        { name: undefined, 'labels.tier': undefined },
        { name: null, labels: { region: 'eu' } },
      ],
      [
        { description: undefined, labels: undefined, 'labels.a.b': 'c' },
        { description: '', labels: { 'a.b': 'c' } },
      ],
    ];
    for (const [wish, difference] of cases) {
      const planned = planConsumerEdit(stored(acme), wish);
      assert.ok('changes' in planned);
      assert.deepEqual(planned.changes[0]?.after, { ...acme, ...difference });
      assert.deepEqual(planned.changes[0].before, stored(acme));
    }
  });

  it('names what is wrong with it', () => {
    const planned = planConsumerEdit(stored(acme), { name: '  ' });
    assert.ok('problems' in planned);
    assert.deepEqual(
      planned.problems.map(({ path }) => path),
      ['name'],
    );
  });
});

describe('the deletion of a consumer', () => {
  it('takes its credentials and grants along, in one set of changes', () => {
    const appKey = Secret.fromText('k');
    const credential: ManagedCredential = {
      ...{ id: 'c', consumerId: 'acme', methods: ['key'], appKey, appKeyHash: hashOfAppKey(appKey) },
      ...{ material: appKeyMaterial, state: 'active', notBefore: null, expiresAt: null, allowFrom: null },
    };
    const grant = { endpointId: 'orders', consumerId: 'acme', limits: null, expiresAt: null };
    const changes = planConsumerDeletion(stored(acme), [stored(credential)], [stored(grant)]);
    assert.deepEqual(
      changes.map(({ kind, id, after }) => [kind, id, after]),
      [
        ['credential', 'c', null],
        ['grant', 'orders/acme', null],
        ['consumer', 'acme', null],
      ],
    );
  });
});
