import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Grant, type GroupGrant, isGroupGrant } from '../../../../src/model/grant.ts';
import type { Labels } from '../../../../src/model/labels.ts';
import { type AllowedAnswer, type RefusedAnswer, headerOf } from '../../../support/pipeline/answer.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  catalogOf,
  consumer,
  credential,
  grant,
  groupGrant,
  keyEndpoint,
  limit,
} from '../../../support/pipeline/resources.ts';

const headers = [['x-app-key', APP_KEY]] as const;
const closed = keyEndpoint({
  accessCondition: 'authenticated-and-authorized',
  limits: [limit('5/hour/consumer'), limit('1000000/day/endpoint')],
});
const own = grant({ limits: [limit('1/minute/consumer')] });
const gold = groupGrant({ priority: 10, limits: [limit('3/minute/consumer')] });
const eu = groupGrant({ consumerSelector: { region: 'eu' }, priority: 5, limits: [limit('2/minute/consumer')] });
const goldEu = groupGrant({
  consumerSelector: { region: 'eu', tier: 'gold' },
  priority: 20,
  limits: [limit('4/minute/consumer')],
});

/** `403`, or the most that the tightest limit lets through: each grant of these tests has one of its own. */
async function answerFor(labels: Labels, grants: readonly Grant[], endpoint = closed): Promise<string> {
  const consumers = [consumer({ labels })];
  const answer = await testGateway({ endpoints: [endpoint], consumers, credentials: [credential()], grants }).send({
    headers,
  });
  return outcomeOf(answer);
}

function outcomeOf(answer: AllowedAnswer | RefusedAnswer): string {
  if (answer.kind === 'refused') return `${String(answer.status)} ${answer.body.code}`;
  return headerOf(answer.responseHeaders, 'x-ratelimit-limit') ?? 'unlimited';
}

describe('a grant for a group', () => {
  for (const [name, labels, grants, expected] of [
    ['lets in who carries its labels', { tier: 'gold' }, [gold], '3'],
    ['lets in who carries others too', { tier: 'gold', region: 'us' }, [gold], '3'],
    ['lets in no consumer with another value', { tier: 'silver' }, [gold], '403 NOT_AUTHORIZED'],
    ['lets in no consumer with one of two labels', { tier: 'gold' }, [goldEu], '403 NOT_AUTHORIZED'],
    ['lets in no consumer without labels', {}, [gold, eu], '403 NOT_AUTHORIZED'],
    ['lets in no consumer by what every object has', {}, [selecting('constructor')], '403 NOT_AUTHORIZED'],
    ['counts by its priority', { tier: 'gold', region: 'eu' }, [eu, goldEu, gold], '4'],
    ['counts after the own grant', { tier: 'gold' }, [gold, own], '1'],
    ['counts after an own grant without limits of its own', { tier: 'gold' }, [gold, grant()], '5'],
    ['counts when the own one has ended', { tier: 'gold' }, [gold, grant({ expiresAt: NOON })], '3'],
    ['no longer counts at its end', { tier: 'gold', region: 'eu' }, [{ ...gold, expiresAt: NOON }, eu], '2'],
    ['counts until its end', { tier: 'gold', region: 'eu' }, [{ ...gold, expiresAt: NOON + 1 }, eu], '3'],
    ['leaves the limits of the endpoint', { tier: 'gold' }, [groupGrant()], '5'],
    ['lifts those per consumer', { tier: 'gold' }, [groupGrant({ limits: [] })], '1000000'],
    [
      'of another endpoint lets in no caller',
      { tier: 'gold' },
      [{ ...gold, endpointId: 'stock' }],
      '403 NOT_AUTHORIZED',
    ],
  ] as const) {
    it(name, async () => {
      assert.equal(await answerFor(labels, grants), expected);
    });
  }

  it('sets limits where every authenticated consumer gets in', async () => {
    const open = keyEndpoint({ limits: [limit('5/hour/consumer')] });
    assert.equal(await answerFor({ tier: 'gold' }, [gold], open), '3');
    assert.equal(await answerFor({ tier: 'silver' }, [gold], open), '5');
  });

  it('counts each of its consumers alone', async () => {
    const consumers = [consumer({ labels: { tier: 'gold' } }), consumer({ id: 'globex', labels: { tier: 'gold' } })];
    const credentials = [
      credential(),
      credential({ id: 'globex-key', consumerId: 'globex', appKey: 'globex-app-key' }),
    ];
    const gateway = testGateway({
      ...{ endpoints: [closed], consumers, credentials },
      grants: [groupGrant({ limits: [limit('1/minute/consumer')] })],
    });
    const send = async (appKey: string): Promise<string> =>
      outcomeOf(await gateway.send({ headers: [['x-app-key', appKey]] }));
    assert.deepEqual(
      [await send(APP_KEY), await send(APP_KEY), await send('globex-app-key')],
      ['1', '429 RATE_LIMITED', '1'],
    );
  });

  it('is named in the log when it has ended', async () => {
    const parts = { endpoints: [closed], consumers: [consumer({ labels: { tier: 'gold' } })] };
    const details = async (grants: readonly Grant[]): Promise<string | undefined> => {
      const gateway = testGateway({ ...parts, grants });
      await gateway.send({ headers });
      const decision = gateway.decided[0]?.decision;
      return decision !== undefined && 'refusal' in decision ? decision.refusal.detail : undefined;
    };
    assert.equal(await details([eu]), 'the consumer acme has no grant');
    assert.equal(await details([{ ...gold, expiresAt: NOON }]), 'the consumer acme has an expired grant');
  });

  it('costs no object for each request', () => {
    const { groupGrants } = catalogOf({ endpoints: [closed], grants: [gold, eu] });
    const [first, second] = groupGrants.of('orders');
    assert.deepEqual([first?.priority, second?.priority], [10, 5]);
    assert.equal(groupGrants.of('orders'), groupGrants.of('orders'));
    assert.equal(groupGrants.of('orders')[0]?.limitsInForce, first?.limitsInForce);
    assert.equal(groupGrants.of('stock'), groupGrants.of('nowhere'));
  });
});

function selecting(name: string): GroupGrant {
  return groupGrant({ consumerSelector: { [name]: 'gold' } });
}

describe('the grant in effect', () => {
  const names = ['tier', 'region', 'constructor'];
  const values = ['gold', 'eu', ''];
  const labelsOf = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values), { maxKeys: 3 });
  const expiry = fc.constantFrom(null, NOON - 1, NOON, NOON + 1);
  const groups = fc.uniqueArray(
    fc.record({
      endpointId: fc.constantFrom('orders', 'stock'),
      consumerSelector: fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...values), {
        minKeys: 1,
        maxKeys: 2,
      }),
      priority: fc.integer({ min: -3, max: 3 }),
      expiresAt: expiry,
    }),
    { selector: ({ endpointId, priority }) => `${endpointId} ${String(priority)}`, maxLength: 8 },
  );
  const owns = fc.option(fc.record({ endpointId: fc.constantFrom('orders', 'stock'), expiresAt: expiry }));

  /** Spec §1 word by word; the limit of each grant is its number. */
  function expected(labels: Labels, grants: readonly Grant[]): string {
    const live = grants.filter(
      ({ endpointId, expiresAt }) => endpointId === 'orders' && (expiresAt === null || NOON < expiresAt),
    );
    const ownLive = live.find((each) => !isGroupGrant(each));
    const fitting = live
      .filter((each) => isGroupGrant(each))
      .filter(({ consumerSelector }) =>
        Object.keys(consumerSelector).every(
          (name) => Object.hasOwn(labels, name) && labels[name] === consumerSelector[name],
        ),
      );
    const highest = fitting.find(({ priority }) => fitting.every((other) => other.priority <= priority));
    const inEffect = ownLive ?? highest;
    return inEffect === undefined ? '403 NOT_AUTHORIZED' : String(inEffect.limits?.[0]?.requests);
  }

  it('is the one of the rule, whatever the grants, labels and times', async () => {
    await fc.assert(
      fc.asyncProperty(labelsOf, groups, owns, async (labels, fitting, single) => {
        const numbered = (at: number): Pick<Grant, 'limits'> => ({
          limits: [{ requests: at + 1, unit: 'minute', per: 'consumer' }],
        });
        const grants: Grant[] = fitting.map((each, at) => ({ ...each, ...numbered(at) }));
        if (single !== null) grants.push({ consumerId: 'acme', ...single, ...numbered(grants.length) });
        assert.equal(await answerFor(labels, grants), expected(labels, grants));
      }),
      { numRuns: 500 },
    );
  });

  it('changes by time alone', async () => {
    const clock = fixedClock();
    const grants = [{ ...gold, expiresAt: NOON + 10 }, eu];
    const consumers = [consumer({ labels: { tier: 'gold', region: 'eu' } })];
    const gateway = testGateway({ clock, endpoints: [closed], consumers, grants });
    assert.equal(outcomeOf(await gateway.send({ headers })), '3');
    clock.advance(10);
    assert.equal(outcomeOf(await gateway.send({ headers })), '2');
  });
});
