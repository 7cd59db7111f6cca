import assert from 'node:assert/strict';
import { invalidClient, type OAuth2Refusal, refuseOAuth2 } from '../../../../src/gateway/oauth2/messages.ts';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../../src/gateway/observe/metrics.ts';
import { createOAuth2Observer } from '../../../../src/gateway/observe/request-observers.ts';
import { RefusalRecorder } from '../../../../src/check/refusals/refusal-recorder.ts';
import type { RefusalEntry } from '../../../../src/check/refusals/refusal-record.ts';
import { oauth2Request, type OAuth2RequestParts } from '../../../support/oauth2/oauth2-request.ts';
import { held } from '../../../support/store/held.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';

/** What is kept of a token request that is answered with this. */
async function keep(refusal: OAuth2Refusal | null, request: OAuth2RequestParts): Promise<readonly RefusalEntry[]> {
  const time = new ManualTime();
  const kept: RefusalEntry[] = [];
  const recorder = new RefusalRecorder({
    ...{ clock: time, startTimer: time.startTimer, keepsSource: true },
    keep: (entry) => kept.push(entry),
  });
  const observer = createOAuth2Observer({
    logger: createLogger('error', { write: () => undefined }),
    metrics: new Metrics('test'),
    budget: { take: () => false },
    recordUse: null,
    recordRefusal: recorder.record,
  });
  observer.answered({
    operation: 'token',
    request: oauth2Request(request),
    requestId: 'r-1',
    authentication: 'client_secret_post',
    refusal,
  });
  await time.advance(0);
  return kept;
}

describe('refusals of the OAuth2 endpoints', () => {
  const request: OAuth2RequestParts = { target: '/oauth2/token?client_secret=s3cret', body: 'client_secret=s3cret' };
  const wrongSecret = invalidClient(true, 'the client secret is wrong', held('acme-oauth2'));

  it('are kept for a known client, without what it sent', async () => {
    const kept = await keep(wrongSecret, request);
    assert.deepEqual(
      kept.map((entry) => ({ ...entry, id: null, atMs: null })),
      [
        {
          ...{ id: null, atMs: null, requestId: 'r-1', endpointId: null, method: 'POST', path: '/oauth2/token' },
          ...{
            code: 'invalid_client',
            detail: 'the client secret is wrong',
            isObserved: false,
            sourceAddress: '192.0.2.1',
          },
          ...{ consumerId: 'acme', credentialId: 'acme-oauth2', stringToSign: null, leftOut: 0 },
          ownedBy: [],
        },
      ],
    );
    assert.ok(!JSON.stringify(kept).includes('s3cret'));
  });

  it('are not kept for an unknown client, nor are answers', async () => {
    assert.deepEqual(await keep(invalidClient(true, 'the App Key is unknown'), request), []);
    assert.deepEqual(await keep(refuseOAuth2(400, 'invalid_request', 'no'), request), []);
    assert.deepEqual(await keep(null, request), []);
  });
});
