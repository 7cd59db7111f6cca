import assert from 'node:assert/strict';
import { findServices } from '../../../../services/install-services.mjs';
import { fieldValue } from '../../../support/http-message.ts';
import { documentedPrograms, runProgram } from '../../../support/oauth2/documented-program.ts';
import { startOAuth2Stack } from '../../../support/oauth2/oauth2-stack.ts';
import { only } from '../../../support/only.ts';

describe('the Python program in docs/oauth2.md', () => {
  it('calls with requests-oauthlib', async () => {
    const { 'python-oauth2': python } = await findServices(['python-oauth2']);
    assert.ok(python !== null, 'requests-oauthlib is not installed: scripts/install-services python-oauth2');
    await using stack = await startOAuth2Stack();
    const output = await runProgram(python, ['-c', only(documentedPrograms('python', stack.url))]);
    assert.equal(output, '200 ok\n\n');
    assert.equal(fieldValue(only(stack.backend.requests).headers, 'x-consumer-id'), 'acme');
  });
});
