import { createPublicKey } from 'node:crypto';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { packageFiles } from '../../../src/cli/programs/servers.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { documentedPrograms, OAUTH2_EXAMPLES, runProgram } from '../../support/docs/documented-program.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { fieldValue, jsonBody } from '../../support/http/http-message.ts';
import { send } from '../../support/http/http-client.ts';
import { poll } from '../../support/time/poll.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { assertionFields, clientAssertion, partnerKey } from '../../support/oauth2/client-assertion.ts';
import { assertOAuth2Refusal, bearer } from '../../support/oauth2/oauth2-client.ts';
import { basic, form } from '../../support/oauth2/oauth2-request.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';

const PAGE = 'docs/oauth2-private-key.md';

interface Demo {
  readonly consumers: { readonly id: string; readonly credentials: unknown[] }[];
}

/** The demo's document, in which acme has other credentials too. */
function demoWith(...credentials: readonly object[]): string {
  const demo = parse(readFileSync(packageFiles.document, 'utf8')) as Demo;
  demo.consumers.find(({ id }) => id === 'acme')?.credentials.push(...credentials);
  return stringify(demo);
}

describe('partners with a private key, behind Envoy', () => {
  const other = partnerKey('p-256');
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let stack: OAuth2Stack;

  const documented = (language: string, index: number, page = PAGE): string =>
    documentedPrograms(language, stack.url, page)[index] ?? assert.fail(`${page} has no such program`);
  const shell = async (text: string): Promise<string> =>
    await runProgram(
      'sh',
      ['-c', `set -e\n${text.replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')}`],
      {
        cwd: folder.path,
      },
    );

  before(async () => {
    folder = await temporaryDirectory();
    const commands = documentedPrograms('sh', '', PAGE);
    await shell(commands[0] ?? 'false');
    const jwk = createPublicKey(readFileSync(join(folder.path, 'acme-public.pem'))).export({ format: 'jwk' });
    const [shown] = documentedPrograms('yaml', '', PAGE).map((text) => parse(text) as Demo);
    const [credential] = shown?.consumers[0]?.credentials ?? [];
    assert.ok(typeof credential === 'object' && credential !== null);
    stack = await startOAuth2Stack(
      demoWith(
        { ...credential, publicKey: { jwk } },
        { id: 'acme-p256', method: 'oauth2', appKey: 'acme-p256', publicKey: { jwk: other.publicKey.jwk } },
      ),
    );
  });
  after(() => release(stack, folder));
  beforeEach(() => {
    stack.backend.reset();
  });

  it('call with openid-client as documented', async () => {
    symlinkSync(join(projectRoot, 'node_modules'), join(folder.path, 'node_modules'));
    writeFileSync(join(folder.path, 'call.mjs'), documented('js', 1, OAUTH2_EXAMPLES));
    assert.equal(await runProgram(process.execPath, ['call.mjs'], { cwd: folder.path }), '200 ok\n\n');
    assert.equal(fieldValue(assertOne(stack.backend.requests).headers, 'x-credential-identifier'), 'acme-signer');
  });

  it('get a token with openssl and curl as documented', async () => {
    assert.match(
      await shell(documented('sh', 1)),
      /^\{"access_token":"[^"]+","token_type":"bearer","expires_in":3600\}$/,
    );
  });

  it('use an assertion once, and are told nothing but that it failed', async () => {
    const now = Math.floor(Date.now() / 1000);
    const assertion = clientAssertion({
      clientId: 'acme-p256',
      algorithm: 'ES256',
      claims: { aud: `${stack.url}/oauth2/token`, exp: now + 60 },
    });
    const ask = async (target: string, fields: Record<string, string>, headers: readonly [string, string][] = []) =>
      await send('HTTP/1.1', stack.envoy.port, {
        method: 'POST',
        target,
        headers: [['content-type', 'application/x-www-form-urlencoded'], ...headers],
        body: form({ ...assertionFields(assertion), ...fields }),
      });
    const grant = { grant_type: 'client_credentials' };
    assertOAuth2Refusal(await ask('/oauth2/token', { ...grant, client_secret: 'x' }), 400, 'invalid_request');
    const [name, value] = basic('acme-p256', '');
    assertOAuth2Refusal(await ask('/oauth2/token', grant, [[name, value]]), 401, 'invalid_client');
    const answer = await ask('/oauth2/token', grant);
    assert.equal(answer.status, 200, answer.body.toString());
    assertOAuth2Refusal(await ask('/oauth2/token', grant), 400, 'invalid_client');
    assertOAuth2Refusal(await ask('/oauth2/revoke', { token: 'x' }), 400, 'invalid_client');

    const token = String((jsonBody(answer) as Record<string, unknown>)['access_token']);
    const call = { method: 'GET', target: '/stock/levels', headers: [bearer(token)] };
    assert.equal((await send('HTTP/1.1', stack.envoy.port, call)).status, 200);
    const line = await stack.postern.logLine(({ detail }) => detail === 'the jti of the assertion was used before');
    assert.deepEqual([line['authentication'], line['credential']], ['private_key_jwt', 'acme-p256']);
    for (const segment of assertion.split('.')) assert.ok(!stack.postern.output().includes(segment));
    const metrics = await stack.postern.metrics();
    assert.match(metrics, /postern_oauth2_clients_total\{method="private_key_jwt",outcome="invalid_client"\} 2/);
  });

  it('lose their tokens with their credential', async () => {
    const assertion = clientAssertion({
      clientId: 'acme-p256',
      algorithm: 'ES256',
      claims: { aud: stack.url, exp: Math.floor(Date.now() / 1000) + 60 },
    });
    const answer = await send('HTTP/1.1', stack.envoy.port, {
      method: 'POST',
      target: '/oauth2/token',
      headers: [['content-type', 'application/x-www-form-urlencoded']],
      body: form({ grant_type: 'client_credentials', ...assertionFields(assertion) }),
    });
    const token = String((jsonBody(answer) as Record<string, unknown>)['access_token']);
    const call = { method: 'GET', target: '/stock/levels', headers: [bearer(token)] };
    assert.equal((await send('HTTP/1.1', stack.envoy.port, call)).status, 200);
    await stack.postern.replaceDocument(readFileSync(packageFiles.document, 'utf8'));
    await poll('the end of the token', async () =>
      (await send('HTTP/1.1', stack.envoy.port, call)).status === 401 ? true : null,
    );
  });
});
