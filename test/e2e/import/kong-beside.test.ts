import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type JsonObject, httpFilters, objectAt, routes } from '../../support/envoy/envoy-config.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { send } from '../../support/http/http-client.ts';
import { fieldValue, type RecordedRequest } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { startBackend } from '../../support/stack/recording-backend.ts';
import { startStack } from '../../support/stack/stack.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { assertCode } from './assert-code.ts';
import { addCluster } from './add-cluster.ts';
import { guideSnippet } from './guide-snippet.ts';
import { signedForKong } from './kong-client.ts';

const example = join(projectRoot, 'examples/kong/kong.yaml');

async function documentWith(...flags: readonly string[]): Promise<string> {
  const { code, out, err } = await runCli(['import', 'kong', '-f', example, ...flags]);
  assert.equal(code, 0, err);
  return out;
}

describe('Postern watching before Kong', () => {
  it('lets everything on to Kong as it was sent, and records what it would have decided', async () => {
    await using stack = await startStack(await documentWith('--observe'), {
      edit: (config) => {
        const filters = httpFilters(config);
        filters.unshift(guideSnippet('filter: kong-username'));
        filters.splice(-1, 0, guideSnippet('filter: kong-username-back'));
      },
    });
    const ask = async (request: Parameters<typeof send>[2]): Promise<{ code: unknown; forwarded: RecordedRequest }> => {
      stack.backend.reset();
      const answer = await send('HTTP/1.1', stack.envoy.port, { host: 'api.example.com', ...request });
      assert.equal(answer.status, 200, answer.body.toString());
      const entry = await stack.envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? '');
      return { code: entry['code'], forwarded: assertOne(stack.backend.requests) };
    };
    for (const [request, expected] of [
      [signedForKong(), 'ALLOWED'],
      [signedForKong({ secret: 'another-secret-of-16-or-more' }), 'AUTHENTICATION_FAILED'],
      [signedForKong({ signed: ['date'] }), 'CREDENTIALS_MALFORMED'],
      [signedForKong({ username: 'globex', secret: 'globex-example-secret-Pm3Vc8Yt5n' }), 'NOT_AUTHORIZED'],
      [{ target: '/orders', headers: [['apikey', 'acme-example-key-2fVn8QxL']] as const }, 'ALLOWED'],
      [{ target: '/orders' }, 'CREDENTIALS_MISSING'],
    ] as const) {
      const { code, forwarded } = await ask(request);
      assert.equal(code, expected);
      for (const name of ['authorization', 'apikey']) {
        assert.equal(fieldValue(forwarded.headers, name), fieldValue(request.headers ?? [], name), name);
      }
    }
  });
});

describe('a part of the traffic', () => {
  for (const [percent, isPostern] of [
    [0, false],
    [100, true],
  ] as const) {
    it(`goes to Kong untouched but for ${String(percent)} %, which Postern decides`, async () => {
      await using kong = await startBackend('HTTP/1.1');
      await using stack = await startStack(await documentWith(), {
        edit: (config) => {
          const filters = httpFilters(config);
          filters.unshift(guideSnippet('filter: kong-username'));
          filters.splice(-1, 0, guideSnippet('filter: kong-username-back'));
          addCluster(config, 'kong', kong.port);
          const split = guideSnippet('routes: split') as JsonObject[];
          objectAt(split[0] ?? {}, 'match', 'runtime_fraction', 'default_value')['numerator'] = percent;
          routes(config).unshift(...split);
        },
      });
      const request = {
        host: 'api.example.com',
        target: '/orders',
        headers: [['Authorization', 'hmac username="a"']] as const,
      };
      const answer = await send('HTTP/1.1', stack.envoy.port, request);
      if (isPostern) {
        assertCode(answer, 401, 'CREDENTIALS_MISSING');
        assert.equal(kong.requests.length, 0);
      } else {
        assert.equal(answer.status, 200);
        assert.equal(fieldValue(assertOne(kong.requests).headers, 'authorization'), 'hmac username="a"');
        const changed = [['Authorization', 'hmac appkey="b"']] as const;
        await send('HTTP/1.1', stack.envoy.port, { ...request, headers: changed });
        assert.equal(fieldValue(kong.requests[1]?.headers ?? [], 'authorization'), 'hmac username="b"');
      }
      assert.equal(stack.backend.requests.length, 0);
      assertCode(
        await send('HTTP/1.1', stack.envoy.port, { ...request, target: '/stock' }),
        401,
        'CREDENTIALS_MISSING',
      );
    });
  }
});
