import assert from 'node:assert/strict';
import { findServices } from '../../../../services/install-services.mjs';
import { fieldValue } from '../../../support/http/http-message.ts';
import { documentedPrograms, OAUTH2_EXAMPLES, runProgram } from '../../../support/docs/documented-program.ts';
import { sharedOAuth2Stack } from '../../../support/oauth2/oauth2-stack.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';

describe('the Python program in examples/oauth2/README.md', () => {
  it('calls with requests-oauthlib', async () => {
    const { 'python-oauth2': python } = await findServices(['python-oauth2']);
    assert.ok(python !== null, 'requests-oauthlib is not installed: scripts/install-services python-oauth2');
    const stack = await sharedOAuth2Stack();
    const output = await runProgram(python, [
      '-c',
      assertOne(documentedPrograms('python', stack.url, OAUTH2_EXAMPLES)),
    ]);
    assert.equal(output, '200 ok\n\n');
    assert.equal(fieldValue(assertOne(stack.backend.requests).headers, 'x-consumer-id'), 'acme');
  });
});
