import assert from 'node:assert/strict';
import { type Grant } from '../../../../src/model/grant.ts';
import { type AllowedAnswer, type RefusedAnswer, headerOf } from '../../../support/pipeline/answer.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  consumer,
  credential,
  grant,
  keyEndpoint,
  limit,
  openEndpoint,
} from '../../../support/pipeline/resources.ts';

const headers = [['x-app-key', APP_KEY]] as const;
const closed = keyEndpoint({ accessCondition: 'authenticated-and-authorized' });

async function send(grants: readonly Grant[], endpoint = closed): Promise<AllowedAnswer | RefusedAnswer> {
  const consumers = [consumer(), consumer({ id: 'other' })];
  const credentials = [credential(), credential({ id: 'other-key', consumerId: 'other', appKey: 'other' })];
  return await testGateway({ endpoints: [endpoint], consumers, credentials, grants }).send({ headers });
}

describe('the access condition', () => {
  it('"authenticated" lets every authenticated consumer in', async () => {
    assert.equal((await send([], keyEndpoint())).kind, 'allowed');
  });

  for (const [name, grants, allowed] of [
    ['no caller when there are no grants', [], false],
    ['a consumer with a grant', [grant()], true],
    ['a consumer with a grant that ends in the next second', [grant({ expiresAt: NOON + 1 })], true],
    ['no caller whose grant ends now', [grant({ expiresAt: NOON })], false],
    ['no caller by the grant of another consumer', [grant({ consumerId: 'other' })], false],
    ['no caller by a grant on another endpoint', [grant({ endpointId: 'stock' })], false],
  ] as const) {
    it(`"authenticated-and-authorized" lets in ${name}`, async () => {
      const answer = await send(grants);
      if (allowed) {
        assert.equal(answer.kind, 'allowed');
        return;
      }
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.status, 403);
      assert.equal(answer.body.code, 'NOT_AUTHORIZED');
      assert.equal(answer.body.message, 'The consumer is not authorized on this endpoint.');
      assert.equal(headerOf(answer.headers, 'www-authenticate'), undefined);
      assert.deepEqual(answer.metadata, {
        code: 'NOT_AUTHORIZED',
        endpoint: 'orders',
        authentication: 'key',
        consumer: 'acme',
        credential: 'acme-key',
      });
    });
  }

  it('does not apply to open endpoints', async () => {
    const gateway = testGateway({ endpoints: [openEndpoint()] });
    assert.equal((await gateway.send()).kind, 'allowed');
  });

  it('is not looked at before the credentials', async () => {
    const answer = await testGateway({ endpoints: [closed] }).send();
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.body.code, 'CREDENTIALS_MISSING');
  });
});

describe('the limits of a caller', () => {
  const limits = [limit('5/hour/consumer'), limit('6/minute/consumer'), limit('9/day/endpoint')];

  /** What the first request is told to have left, by its tightest limit. */
  async function firstRemaining(grants: readonly Grant[], endpointLimits = limits): Promise<string | undefined> {
    const answer = await send(grants, keyEndpoint({ limits: endpointLimits }));
    assert.ok(answer.kind === 'allowed');
    return headerOf(answer.responseHeaders, 'ratelimit-policy');
  }

  for (const [name, grants, expected] of [
    ['are those of the endpoint without a grant', [], '"default";q=5;w=3600'],
    ['are those of the endpoint when the grant has none of its own', [grant()], '"default";q=5;w=3600'],
    [
      'are those of the grant in place of all per consumer',
      [grant({ limits: [limit('7/second/consumer')] })],
      '"default";q=7;w=1',
    ],
    ['are lifted by an empty list, but not those of all callers', [grant({ limits: [] })], '"default";q=9;w=86400'],
    [
      'are those of the endpoint when the grant has expired',
      [grant({ limits: [limit('1/second/consumer')], expiresAt: NOON })],
      '"default";q=5;w=3600',
    ],
  ] as const) {
    it(name, async () => {
      assert.equal(await firstRemaining(grants), expected);
    });
  }

  it('are none when the only ones are lifted', async () => {
    assert.equal(await firstRemaining([grant({ limits: [] })], [limit('5/hour/consumer')]), undefined);
  });

  it('count the grant of the moment', async () => {
    const clock = fixedClock();
    const parts = { clock, endpoints: [closed], grants: [grant({ expiresAt: NOON + 10 })] };
    const gateway = testGateway(parts);
    assert.equal((await gateway.send({ headers })).kind, 'allowed');
    clock.advance(10);
    assert.equal((await gateway.send({ headers })).kind, 'refused');
  });
});
