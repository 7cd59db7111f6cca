import assert from 'node:assert/strict';
import { appSecrets, findSigner, judgeProof } from '../../../../src/check/methods/caller.ts';
import { type Consumer } from '../../../../src/model/consumer.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { refuse } from '../../../../src/check/refusal.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';
import { consumer, type CredentialParts } from '../../../support/pipeline/resources.ts';
import { signedByHmac } from '../../../support/partner/hmac.ts';
import { formRequest, withSign } from '../../../support/partner/parameters.ts';
import { acme } from '../../../support/partner/signature-document.ts';
import { acmeCredential, asCheck, lastDecision, signedGateway } from '../../../support/partner/signed-gateway.ts';

interface Held {
  readonly credential?: CredentialParts;
  readonly consumer?: Partial<Consumer>;
}

const former = { appSecret: Secret.fromText('the former secret of acme'), expiresAt: NOON + 10 };

function signerOf(held: Held | null, nowSeconds = NOON, method: 'hmac' | 'parameter-signature' = 'hmac') {
  const found =
    held === null
      ? null
      : {
          credential: acmeCredential({ ...held.credential }),
          consumer: consumer({ ...held.consumer }),
          grants: new Map(),
        };
  return findSigner(found, method, appSecrets, nowSeconds);
}

/** What can be the matter with an App Key, and what the log says of it. */
const faults: Readonly<Record<string, readonly [held: Held | null, detail: string]>> = {
  'no credential has it': [null, 'the App Key is unknown'],
  'its credential is for key': [{ credential: { methods: ['key'] } }, 'the credential acme-both is not for METHOD'],
  'its credential is for oauth2': [
    { credential: { methods: ['oauth2'] } },
    'the credential acme-both is not for METHOD',
  ],
  'its credential is revoked': [{ credential: { state: 'revoked' } }, 'the credential acme-both is revoked'],
  'its credential has just expired': [{ credential: { expiresAt: NOON } }, 'the credential acme-both has expired'],
  'its credential begins in a second': [
    { credential: { notBefore: NOON + 1 } },
    'the credential acme-both is not valid yet',
  ],
  'its credential was retiring until now': [
    { credential: { state: 'retiring', expiresAt: NOON } },
    'the credential acme-both has expired',
  ],
  'its consumer is disabled': [{ consumer: { enabled: false } }, 'the consumer acme is disabled'],
  'its credential has no secret': [{ credential: { appSecret: null } }, 'the credential has no App Secret'],
};

describe('the secrets behind an App Key', () => {
  it('are the current one, without a fault', () => {
    const { keys: secrets, fault } = signerOf({});
    assert.deepEqual([secrets.map((secret) => secret.reveal().toString()), fault], [[acme.secret], null]);
  });

  it('are the current one and then the retiring one, until it expires', () => {
    for (const [now, count] of [
      [NOON, 2],
      [NOON + 9, 2],
      [NOON + 10, 1],
      [NOON + 11, 1],
    ] as const) {
      const { keys: secrets, fault } = signerOf({ credential: { retiringSecret: former } }, now);
      assert.equal(fault, null);
      assert.deepEqual(
        secrets.map((secret) => secret.reveal().toString()),
        [acme.secret, 'the former secret of acme'].slice(0, count),
      );
    }
  });

  it('are never none, so that there is always something to verify against', () => {
    for (const [held, detail] of Object.values(faults)) {
      const { keys: secrets, fault } = signerOf(held);
      assert.ok(secrets.length > 0);
      assert.deepEqual([fault?.refused, fault?.detail], ['AUTHENTICATION_FAILED', detail.replace('METHOD', 'hmac')]);
    }
  });

  it('are not those of the credential where it is not known to have any', () => {
    for (const held of [null, { credential: { appSecret: null } }]) {
      const { keys: secrets } = signerOf(held);
      assert.ok(secrets.every((secret) => secret.reveal().length > 0 && secret.reveal().toString() !== acme.secret));
    }
  });
});

const requests = {
  hmac: (secret: string) => asCheck(signedByHmac({ target: '/signed', dateSeconds: NOON, secret })),
  'parameter-signature': (secret: string) =>
    asCheck(formRequest('/signed', withSign(`a=1&appKey=${acme.appKey}`, undefined, secret))),
} as const;

for (const method of ['hmac', 'parameter-signature'] as const) {
  describe(`a signature by ${method} with an App Key that does not count`, () => {
    function gatewayOf(held: Held | null) {
      return signedGateway(method, {
        options: { signatureHints: true },
        consumers: [consumer({ ...held?.consumer })],
        credentials: held === null ? [] : [acmeCredential({ ...held.credential })],
      });
    }

    it('looks like a wrong secret to the caller, and is named in the log', async () => {
      const right = gatewayOf({});
      const wrong = await right.send(requests[method]('some other secret'));
      assert.ok(wrong.kind === 'refused');
      for (const [why, [held, detail]] of Object.entries(faults)) {
        const gateway = gatewayOf(held);
        const answer = await gateway.send(requests[method]('some other secret'));
        assert.ok(answer.kind === 'refused', why);
        const words = ({ status, headers, body }: typeof answer) => ({ status, headers, ...body, requestId: '' });
        assert.deepEqual(words(answer), words(wrong), why);
        assert.deepEqual(lastDecision(gateway), {
          code: 'AUTHENTICATION_FAILED',
          detail: detail.replace('METHOD', method),
        });
      }
    });

    it('is refused although it is right', async () => {
      for (const [why, [held]] of Object.entries(faults)) {
        const gateway = gatewayOf(held);
        await gateway.send(requests[method](acme.secret));
        assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED', why);
      }
    });

    it('is verified all the same: each secret is asked for as often as that of a good one', async () => {
      const asked = async (held: Held): Promise<number> => {
        let count = 0;
        const secret = Secret.fromText(acme.secret);
        const reveal = secret.reveal.bind(secret);
        secret.reveal = () => {
          count += 1;
          return reveal();
        };
        const derive = secret.derive.bind(secret);
        secret.derive = (derivation) => {
          count += 1;
          return derive(derivation);
        };
        const gateway = gatewayOf({ ...held, credential: { ...held.credential, appSecret: secret } });
        await gateway.send(requests[method]('some other secret'));
        return count;
      };
      const good = await asked({});
      assert.ok(good > 0);
      for (const held of [
        { credential: { state: 'revoked' } },
        { credential: { expiresAt: 1 } },
        { credential: { methods: ['oauth2'] } },
        { consumer: { enabled: false } },
      ] as const) {
        assert.equal(await asked(held), good);
      }
    });

    it('counts with the former secret until the grace period ends, and the current one continues', async () => {
      const clock = fixedClock(NOON);
      const gateway = signedGateway(method, { clock, credentials: [acmeCredential({ retiringSecret: former })] });
      const codeOf = async (secret: string): Promise<string> => {
        await gateway.send(requests[method](secret));
        return lastDecision(gateway).code;
      };
      clock.advance(9.999);
      assert.equal(await codeOf('the former secret of acme'), 'ALLOWED');
      assert.equal(await codeOf(acme.secret), 'ALLOWED');
      clock.advance(0.001);
      assert.equal(await codeOf('the former secret of acme'), 'AUTHENTICATION_FAILED');
      assert.equal(await codeOf(acme.secret), 'ALLOWED');
    });

    it('counts for a retiring credential until it expires', async () => {
      const clock = fixedClock(NOON);
      const credentials = [acmeCredential({ state: 'retiring', expiresAt: NOON + 1 })];
      const gateway = signedGateway(method, { clock, credentials });
      await gateway.send(requests[method](acme.secret));
      assert.equal(lastDecision(gateway).code, 'ALLOWED');
      clock.advance(1);
      await gateway.send(requests[method](acme.secret));
      assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
    });
  });
}

describe('a fault of a credential with a code of its own', () => {
  const signer = { keys: [], fault: refuse('NOT_AUTHORIZED', 'why'), credentialId: 'acme-both', consumerId: 'acme' };
  const wrong = refuse('AUTHENTICATION_FAILED', 'the signature is wrong');

  it('is shown to a caller whose signature is right', () => {
    assert.equal(judgeProof(signer, { keyIndex: 0 }), signer.fault);
  });

  it('is hidden from others, who must not learn whose App Key is known', () => {
    assert.equal(judgeProof(signer, wrong), wrong);
  });
});
