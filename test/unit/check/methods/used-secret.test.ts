import assert from 'node:assert/strict';
import { Secret } from '../../../../src/model/secret.ts';
import { createCheckObserver } from '../../../../src/gateway/observe/request-observers.ts';
import { type DecidedCheck } from '../../../../src/gateway/serving/check-handler.ts';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../../src/gateway/observe/metrics.ts';
import { isGranted } from '../../../../src/check/respond/respond.ts';
import { signedByHmac } from '../../../support/partner/hmac.ts';
import { formRequest, withSign } from '../../../support/partner/parameters.ts';
import { acme } from '../../../support/partner/signature-document.ts';
import { acmeCredential, asCheck, signedGateway } from '../../../support/partner/signed-gateway.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import { APP_KEY, keyEndpoint, openEndpoint } from '../../../support/pipeline/resources.ts';

const former = 'the former secret of acme';
const credentials = [acmeCredential({ retiringSecret: { appSecret: Secret.fromText(former), expiresAt: NOON + 10 } })];

const requests = {
  hmac: (secret: string) => asCheck(signedByHmac({ target: '/signed', dateSeconds: NOON, secret })),
  'hmac with a body': (secret: string) =>
    asCheck(signedByHmac({ target: '/signed', dateSeconds: NOON, secret, method: 'POST', body: Buffer.from('text') })),
  'parameter-signature': (secret: string) =>
    asCheck(formRequest('/signed', withSign(`a=1&appKey=${acme.appKey}`, undefined, secret))),
} as const;

function secretOf(decided: DecidedCheck | undefined): string {
  assert.ok(decided !== undefined && isGranted(decided.decision));
  return decided.decision.permit.authenticated.secret;
}

describe('the App Secret that a caller used', () => {
  for (const name of ['hmac', 'hmac with a body', 'parameter-signature'] as const) {
    it(`is distinguished from the retiring one, by ${name}`, async () => {
      const gateway = signedGateway(name === 'parameter-signature' ? name : 'hmac', { credentials });
      await gateway.send(requests[name](acme.secret));
      await gateway.send(requests[name](former));
      assert.deepEqual(gateway.decided.map(secretOf), ['current', 'retiring']);
    });
  }

  it('is the current one where none is needed', async () => {
    const gateway = testGateway();
    await gateway.send({ path: `/orders?appKey=${APP_KEY}` });
    assert.deepEqual(gateway.decided.map(secretOf), ['current']);
  });
});

describe('the record of uses', () => {
  it('is reported of allowed, authenticated checks only', async () => {
    const used: string[] = [];
    const logger = createLogger('error', { write: () => undefined });
    const observer = createCheckObserver({
      logger,
      metrics: new Metrics('test'),
      budget: { take: () => true },
      recordRefusal: null,
      recordUse: (credentialId, secret) => {
        used.push(`${credentialId} ${secret}`);
      },
      countTraffic: () => undefined,
    });
    const gateway = testGateway({
      endpoints: [
        keyEndpoint(),
        keyEndpoint({
          id: 'granted',
          paths: [{ prefix: '/granted' }],
          accessCondition: 'authenticated-and-authorized',
        }),
        keyEndpoint({ id: 'watched', paths: [{ prefix: '/watched' }], options: { mode: 'observe' } }),
        openEndpoint({ id: 'status', paths: [{ prefix: '/status' }] }),
      ],
    });
    for (const path of ['/orders', '/granted', '/watched', '/status', '/nowhere']) {
      await gateway.send({ path: `${path}?appKey=${APP_KEY}` });
    }
    await gateway.send({ path: '/orders?appKey=somebody-else' });
    await gateway.send({ path: '/watched?appKey=somebody-else' });
    for (const decided of gateway.decided) observer.decided(decided);
    assert.equal(gateway.decided.length, 7);
    assert.deepEqual(used, ['acme-key current', 'acme-key current']);
  });
});
