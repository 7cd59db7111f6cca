import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSignIn } from '../../../../src/operators/process/sign-in.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { parseConfig } from '../../../../src/gateway/config.ts';
import type { SystemOfRecord } from '../../../../src/resources/changes/resource-store.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe("the file of the OpenID Connect client's secret", () => {
  const never = (): never => assert.fail();
  /** Neither the store nor the observer is asked before somebody signs in. */
  const untouched = { sessions: {}, resources: {} } as unknown as SystemOfRecord;
  const observer = { signedIn: never, refused: never, signedOut: never };

  async function open(path: string): Promise<unknown> {
    const parsed = parseConfig({
      ...{ POSTERN_MANAGE_URL: 'https://postern.example.com', POSTERN_MANAGE_OIDC_ISSUER: 'https://id.example.com' },
      ...{ POSTERN_MANAGE_OIDC_CLIENT_ID: 'console', POSTERN_MANAGE_OIDC_CLIENT_SECRET: path },
    });
    assert.ok('config' in parsed, JSON.stringify(parsed));
    return await openSignIn(parsed.config, { store: untouched, clock: systemClock, observer });
  }

  it('is one text, without what nobody sees at its edges', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'secret');
    const cases: readonly (readonly [string, RegExp])[] = [
      ['', /: the file is empty$/],
      ['\n', /: the file is empty$/],
      ['\ufeffa-secret\n', /: the secret begins with a byte order mark \(U\+FEFF\), which nobody sees: remove it$/],
      ['a-secret \n', /: the secret ends with a blank \(U\+0020\), which nobody sees: remove it$/],
      ['a-secret\r\n', /: the secret ends with a carriage return: save the file with Unix line ends$/],
    ];
    for (const [text, message] of cases) {
      writeFileSync(path, text);
      await assert.rejects(open(path), (error: Error) => {
        assert.match(error.message, message);
        return error.message.startsWith('POSTERN_MANAGE_OIDC_CLIENT_SECRET: ') && !error.message.includes('a-secret');
      });
    }
    for (const text of ['a-secret', 'a-secret\n']) {
      writeFileSync(path, text);
      await open(path);
    }
  });
});
