import assert from 'node:assert/strict';
import { compileCredentialIndex } from '../../../../src/check/store/credential-index.ts';
import { APP_KEY, consumer, credential, grant } from '../../../support/pipeline/resources.ts';

describe('the index of credentials', () => {
  const off = credential({ id: 'off', appKey: 'off', state: 'revoked', consumerId: 'other' });
  const odd = credential({ id: 'odd', appKey: '__proto__' });
  const consumers = [consumer(), consumer({ id: 'other', enabled: false })];
  const granted = grant();
  const index = compileCredentialIndex({
    credentials: [credential(), off, odd],
    consumers,
    grants: [granted, grant({ consumerId: 'other', endpointId: 'stock' })],
  });

  it('finds a credential with its consumer and what that consumer is granted', async () => {
    const grants = new Map([['orders', granted]]);
    assert.deepEqual(await index.findByAppKey(APP_KEY), { credential: credential(), consumer: consumer(), grants });
  });

  it('finds those that do not work too: judging is not its part', async () => {
    assert.deepEqual(await index.findByAppKey('off'), {
      credential: off,
      consumer: consumers[1],
      grants: new Map([['stock', grant({ consumerId: 'other', endpointId: 'stock' })]]),
    });
  });

  it('finds any App Key that is allowed', async () => {
    assert.equal((await index.findByAppKey('__proto__'))?.credential, odd);
  });

  for (const appKey of [
    '',
    'unknown',
    'constructor',
    APP_KEY.toUpperCase(),
    `${APP_KEY} `,
    ` ${APP_KEY}`,
    `${APP_KEY}\n`,
    `${APP_KEY}\0`,
    APP_KEY.slice(1),
    'a'.repeat(129),
    '%',
    'ä',
  ]) {
    it(`does not find ${JSON.stringify(appKey)}`, async () => {
      assert.equal(await index.findByAppKey(appKey), null);
    });
  }

  it('answers at once', () => {
    assert.ok(!(index.findByAppKey(APP_KEY) instanceof Promise));
  });

  it('cannot be made of a credential without its consumer', () => {
    assert.throws(
      () => compileCredentialIndex({ credentials: [credential()], consumers: [], grants: [] }),
      /^Error: credential acme-key belongs to no consumer$/,
    );
  });
});
