import assert from 'node:assert/strict';
import { fieldValue } from '../../support/http/http-message.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { documentedPrograms, OAUTH2_EXAMPLES, runProgram } from '../../support/docs/documented-program.ts';
import { type OAuth2Stack, sharedOAuth2Stack } from '../../support/oauth2/oauth2-stack.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';

describe('what docs/oauth2.md and examples/oauth2 show', () => {
  let stack: OAuth2Stack;
  before(async () => {
    stack = await sharedOAuth2Stack();
  });
  beforeEach(() => {
    stack.backend.reset();
  });

  const shell = async (text: string | undefined): Promise<string> =>
    await runProgram('sh', [
      '-c',
      `set -e\n${(text ?? 'false').replaceAll('curl ', 'curl --silent --show-error --fail-with-body ')}`,
    ]);
  const curl = (): readonly string[] => documentedPrograms('sh', stack.url);

  it('gets a token with curl', async () => {
    const answer = JSON.parse(await shell(curl()[0])) as Record<string, unknown>;
    assert.match(String(answer['access_token']), /^eyJhbGciOiJIUzI1NiIs[\w-]+\.[\w-]+\.[\w-]{43}$/);
    assert.deepEqual([answer['token_type'], answer['expires_in']], ['bearer', 3600]);
  });

  it('calls with it', async () => {
    assert.equal(await shell(curl()[1]), 'ok\n');
    const { target, headers } = assertOne(stack.backend.requests);
    assert.deepEqual([target, fieldValue(headers, 'x-consumer-id')], ['/stock/levels', 'acme']);
    assert.equal(fieldValue(headers, 'authorization'), null);
  });

  it('gets tokens with credentials in a form and in JSON', async () => {
    assert.match(await shell(curl()[2]), /^(\{"access_token":"[^"]+","token_type":"bearer","expires_in":3600\}){2}$/);
  });

  it('asks about a token, ends it, and asks again', async () => {
    const text = await shell(curl()[3]);
    assert.match(text, /^\{"active":true,[^{}]*\}\{"active":false\}$/);
    assert.equal(curl().length, 4);
  });

  it('calls with openid-client', async () => {
    const program = documentedPrograms('js', stack.url, OAUTH2_EXAMPLES)[0] ?? 'throw 1';
    const output = await runProgram(process.execPath, ['--input-type=module', '--eval', program], { cwd: projectRoot });
    assert.equal(output, '200 ok\n\n');
    assert.equal(fieldValue(assertOne(stack.backend.requests).headers, 'x-consumer-id'), 'acme');
  });
});
