import assert from 'node:assert/strict';
import { type Limiter } from '../../../../src/check/limit/limiter.ts';
import { type CheckObserver } from '../../../../src/gateway/serving/check-handler.ts';
import { isPromise } from '../../../../src/base/pending.ts';
import { createCheckHandler } from '../../../../src/gateway/serving/check-handler.ts';
import { type CredentialSource, StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import type { Catalog } from '../../../../src/check/store/check-store.ts';
import { assertCheckRefused } from '../../../support/pipeline/answer.ts';
import { checkRequest } from '../../../support/pipeline/check-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import { APP_KEY, keyEndpoint, limit, catalogOf } from '../../../support/pipeline/resources.ts';

const withKey = { path: `/orders?appKey=${APP_KEY}`, headers: [['x-request-id', 'request-1']] } as const;

const silent: CheckObserver = { decided: () => undefined, unreadable: () => undefined, defect: () => undefined };

function catalogWith(findByAppKey: CredentialSource['findByAppKey']): () => Catalog {
  const catalog = { ...catalogOf(), credentials: { findByAppKey, canKnow: () => true } };
  return () => catalog;
}

describe('the check handler', () => {
  it('answers in the same turn when nothing has to be waited for', () => {
    const { ports } = testGateway();
    const handle = createCheckHandler({ ...ports, observer: silent });
    assert.ok(!isPromise(handle(checkRequest(withKey))));
  });

  it('answers a message that is no CheckRequest with 400, and tells of it', async () => {
    for (const message of [Buffer.of(0x0a), Buffer.of(0x0a, 5, 1), Buffer.from('GET / HTTP/1.1\r\n'), Buffer.of(7)]) {
      const gateway = testGateway();
      const answer = await gateway.send(message);
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.status, 400);
      assert.equal(answer.body.code, 'MALFORMED_REQUEST');
      assert.deepEqual(gateway.unreadable, [answer.body.requestId]);
    }
  });

  it('answers an empty CheckRequest, as gRPC tools send it, with 400', async () => {
    const answer = await testGateway().send(Buffer.alloc(0));
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.body.code, 'PATH_NOT_NORMAL');
  });

  const outage = new StoreUnavailable('no primary');
  const outages = {
    'at once': () => {
      throw outage;
    },
    later: () => Promise.reject(outage),
  };
  for (const [when, findByAppKey] of Object.entries(outages)) {
    it(`answers a store that fails ${when} with 503, and tells which endpoint it was`, async () => {
      const gateway = testGateway({ catalog: catalogWith(findByAppKey) });
      const answer = await gateway.send(withKey);
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.status, 503);
      assert.equal(answer.body.code, 'STORE_UNAVAILABLE');
      assert.equal(answer.body.requestId, 'request-1');
      assert.deepEqual(answer.metadata, { code: 'STORE_UNAVAILABLE', endpoint: 'orders', authentication: 'key' });
      const [decided] = gateway.decided;
      assert.ok(decided && 'refusal' in decided.decision);
      assert.equal(decided.decision.refusal.detail, 'no primary');
      assert.deepEqual(gateway.defects, []);
    });
  }

  it('answers a store that has no state at all with 503', async () => {
    const gateway = testGateway({
      catalog: () => {
        throw outage;
      },
    });
    const answer = await gateway.send(withKey);
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.body.code, 'STORE_UNAVAILABLE');
    assert.equal(gateway.decided.length, 1);
  });

  const defect = new Error('oh no: appKey=hunter2');
  const defects = {
    'thrown at once': () => {
      throw defect;
    },
    'found later': () => Promise.reject(defect),
  };
  for (const [when, findByAppKey] of Object.entries(defects)) {
    it(`answers a defect ${when} with 500 and without its text`, async () => {
      const gateway = testGateway({ catalog: catalogWith(findByAppKey) });
      const answer = await gateway.send(withKey);
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.status, 500);
      assert.deepEqual(answer.body, {
        code: 'INTERNAL',
        message: 'The request could not be decided.',
        requestId: 'request-1',
      });
      assert.deepEqual(gateway.defects, [defect]);
    });
  }

  it('answers a limiter that is wrong in another way than unavailable with 500, in every mode', async () => {
    const broken: Limiter = { take: () => Promise.reject(defect) };
    const options = { mode: 'observe', onLimiterFailure: 'allow' } as const;
    const endpoint = keyEndpoint({ limits: [limit('1/minute/consumer')], options });
    const answer = await testGateway({ limiter: broken, endpoints: [endpoint] }).send(withKey);
    assert.ok(answer.kind === 'refused');
    assert.equal(answer.body.code, 'INTERNAL');
  });

  it('answers 500 when what observes it fails', () => {
    const { ports } = testGateway();
    const observed: unknown[] = [];
    const observer: CheckObserver = {
      ...silent,
      decided: () => {
        throw defect;
      },
      defect: (error) => {
        observed.push(error);
      },
    };
    const answer = createCheckHandler({ ...ports, observer })(checkRequest(withKey));
    assert.ok(!isPromise(answer));
    assert.equal(assertCheckRefused(answer).body.code, 'INTERNAL');
    assert.deepEqual(observed, [defect]);
  });

  it('measures from the message to the answer', async () => {
    const { ports } = testGateway();
    const seconds: number[] = [];
    let now = 1000;
    const handle = createCheckHandler({
      ...ports,
      observer: {
        ...silent,
        decided: (decided) => {
          seconds.push(decided.seconds);
        },
      },
      clock: { ...ports.clock, elapsedMs: () => (now += 250) },
    });
    await handle(checkRequest(withKey));
    assert.deepEqual(seconds, [0.25]);
  });
});
