import assert from 'node:assert/strict';
import { status } from '@grpc/grpc-js';
import { type Chain, startChain, useChain } from '../../../support/stack/chain.ts';
import { allow, deny } from '../../../support/stack/check-answers.ts';
import { objectAt, filterSettings } from '../../../support/envoy/envoy-config.ts';
import { type FakeCheckService } from '../../../support/stack/fake-check-service.ts';
import { protocols, send } from '../../../support/http/http-client.ts';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../../../support/http/http-message.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { type Attachment } from '../../../support/attachments/attachment.ts';

/** Refusals reach the caller as Postern said them; without an answer there is one, too. */
export function refusalCases(attachment: Attachment, shared?: Chain): void {
  async function assertUndecided(chain: Chain, answer: HttpAnswer): Promise<void> {
    assert.equal(answer.status, 503);
    assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
    assert.deepEqual(jsonBody(answer), {
      code: 'UNAVAILABLE',
      message: 'The request could not be decided.',
      requestId: fieldValue(answer.headers, 'x-request-id'),
    });
    assert.equal(chain.backend.requests.length, 0);
    // Refused where it happened, not only by the guard.
    const entry = await chain.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
    assert.match(String(entry['details']), /^ext_authz_error/);
  }

  describe('a refusal by Postern', () => {
    const chain = shared ?? useChain({ attachment });

    for (const protocol of protocols) {
      for (const code of [400, 401, 403, 404, 413, 415, 429, 500, 503]) {
        it(`reaches the caller as it is: ${String(code)} over ${protocol}`, async () => {
          const body = `{"code":"REFUSED","message":"é <&> ${'x'.repeat(5000)}"}`;
          chain.check.answer = () =>
            deny(code, {
              headers: [
                ['content-type', 'application/json'],
                ['cache-control', 'no-store'],
                ['www-authenticate', 'Key realm="postern"'],
                ['retry-after', '7'],
                ['ratelimit', '"default";r=0;t=7'],
              ],
              body,
              metadata: { code: 'REFUSED' },
            });
          const answer = await send(protocol, chain.envoy.port, { method: 'POST', body: 'x' });
          assert.equal(answer.status, code);
          assert.equal(answer.body.toString('utf8'), body);
          const names = ['content-type', 'cache-control', 'www-authenticate', 'retry-after', 'ratelimit'];
          assert.deepEqual(
            names.map((name) => fieldValues(answer.headers, name)),
            [['application/json'], ['no-store'], ['Key realm="postern"'], ['7'], ['"default";r=0;t=7']],
          );
          assert.equal(chain.backend.requests.length, 0);
          const entry = await chain.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
          assert.equal(entry['code'], 'REFUSED');
          assert.match(String(entry['details']), /^ext_authz_denied/);
        });
      }

      it(`has no body for HEAD, over ${protocol}`, async () => {
        chain.check.answer = () => deny(401, { body: '{"code":"REFUSED"}' });
        const answer = await send(protocol, chain.envoy.port, { method: 'HEAD' });
        assert.equal(answer.status, 401);
        assert.equal(answer.body.length, 0);
      });
    }
  });

  describe('no usable answer by Postern', () => {
    const chain = useChain({
      attachment,
      edit: (config) => {
        // As committed, but so that a test need not wait for it.
        objectAt(filterSettings(config, attachment.filters.authz), 'grpc_service')['timeout'] = '0.5s';
      },
    });

    const failures: Readonly<Record<string, FakeCheckService['answer']>> = {
      'it says UNAVAILABLE': () => ({ grpcStatus: status.UNAVAILABLE }),
      'it says PERMISSION_DENIED': () => ({ grpcStatus: status.PERMISSION_DENIED }),
      'it fails': () => ({ grpcStatus: status.INTERNAL }),
      'it says nothing in time': () => new Promise(() => undefined),
    };
    for (const protocol of protocols) {
      for (const [kind, answer] of Object.entries(failures)) {
        it(`is 503 in our form, and asked once: ${kind}, over ${protocol}`, async () => {
          chain.check.answer = answer;
          await assertUndecided(chain, await send(protocol, chain.envoy.port, { method: 'POST', body: 'x' }));
          assert.equal(chain.check.checks.length, 1);
        });
      }

      it(`is an error when it would split a header, over ${protocol}`, async () => {
        chain.check.answer = () => allow({ headers: [['x-consumer-id', 'a\r\nx-admin: 1']] });
        const answer = await send(protocol, chain.envoy.port);
        assert.equal(answer.status, 500);
        assert.equal((jsonBody(answer) as { code: string }).code, 'GATEWAY_ERROR');
        assert.equal(chain.backend.requests.length, 0);
      });

      it(`is an error when it would split the target, over ${protocol}`, async () => {
        chain.check.answer = () => allow({ headers: [[':path', '/a\r\nx-admin: 1']] });
        assert.equal((await send(protocol, chain.envoy.port)).status, 500);
        assert.equal(chain.backend.requests.length, 0);
      });
    }

    it('is 503 in our form when the service is down', async () => {
      await using down = await startChain({ attachment });
      await down.check[Symbol.asyncDispose]();
      for (const protocol of protocols) await assertUndecided(down, await send(protocol, down.envoy.port));
    });

    it('does not stop Envoy from asking again', async () => {
      chain.check.answer = () => ({ grpcStatus: status.UNAVAILABLE });
      await send('HTTP/1.1', chain.envoy.port);
      chain.reset();
      assert.equal((await send('HTTP/1.1', chain.envoy.port)).status, 200);
      assertOne(chain.backend.requests);
    });
  });

  describe('headers that Postern adds to the answer', () => {
    const chain = shared ?? useChain({ attachment });

    it('replace those of the back end', async () => {
      chain.backend.answer = () => ({ headers: [['ratelimit', 'from the back end']] });
      chain.check.answer = () => allow({ responseHeaders: [['ratelimit', '"default";r=1;t=2']] });
      const answer = await send('HTTP/1.1', chain.envoy.port);
      assert.deepEqual(fieldValues(answer.headers, 'ratelimit'), ['"default";r=1;t=2']);
    });
  });
}
