import assert from 'node:assert/strict';
import { useChain } from '../../support/stack/chain.ts';
import { allow, deny } from '../../support/stack/check-answers.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';

describe('the access log', () => {
  const chain = useChain();
  const request = {
    method: 'POST',
    target: '/orders?appKey=secret-key',
    headers: [
      ['Authorization', 'secret-signature'],
      ['Cookie', 'secret-cookie'],
    ],
    body: 'secret-body',
  } as const;

  async function entryOf(answer: HttpAnswer): Promise<Readonly<Record<string, unknown>>> {
    return await chain.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
  }

  it('tells what was slow, how much was sent and by whom', async () => {
    chain.check.answer = () => allow({ metadata: { consumer: 'acme', endpoint: 'orders', code: 'ALLOWED' } });
    const answer = await http1(chain.envoy.port, request);
    const { durationMs, backendMs, requestBytes, responseBytes, caller, ...rest } = await entryOf(answer);
    assert.ok(
      typeof durationMs === 'number' && typeof backendMs === 'number',
      JSON.stringify({ durationMs, backendMs }),
    );
    assert.ok(backendMs >= 0 && durationMs >= backendMs, `${String(durationMs)} ${String(backendMs)}`);
    assert.deepEqual([requestBytes, responseBytes, caller], [request.body.length, answer.body.length, '127.0.0.1']);
    assert.deepEqual(
      [rest['request'], rest['status'], rest['consumer'], rest['endpoint'], rest['code']],
      ['POST /orders', 200, 'acme', 'orders', 'ALLOWED'],
    );
  });

  it('tells who guesses: the caller of a request that was refused, which no back end saw', async () => {
    chain.check.answer = () => deny(401, { body: '{}', metadata: { code: 'AUTHENTICATION_FAILED' } });
    const { durationMs, backendMs, caller, code } = await entryOf(await http1(chain.envoy.port, request));
    assert.equal(typeof durationMs, 'number');
    assert.deepEqual([backendMs, caller, code], [null, '127.0.0.1', 'AUTHENTICATION_FAILED']);
  });

  it('holds no secret', async () => {
    await entryOf(await http1(chain.envoy.port, request));
    assert.doesNotMatch(chain.envoy.output(), /secret-/);
  });
});
