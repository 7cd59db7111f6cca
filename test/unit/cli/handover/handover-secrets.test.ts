import assert from 'node:assert/strict';
import fc from 'fast-check';
import { languageNames } from '../../../../src/cli/handover/samples/languages.ts';
import { memoryCli, nowSeconds } from '../nouns/memory-cli.ts';
import { credentialYaml, handover, url } from './handover-cli.ts';

const methods = ['key', 'hmac', 'parameter-signature', 'oauth2'] as const;
const endpoints = methods.map(
  (method) =>
    `{ id: e-${method}, scenario: partner-openapi, match: { paths: [{ prefix: /${method} }] }, authentication: ${method} }`,
);
/** What can be an App Secret (spec §1) and is in no page by chance. */
const secrets = fc.stringMatching(/^[A-Za-z0-9_+=.-]{16,64}$/).filter((text) => !/^[.=+-]*$/.test(text));

describe('a secret in what postern handover prints', () => {
  it('is never there, for any method, form of output and secret', async () => {
    const subsets = fc.subarray([...methods], { minLength: 1 });
    const formats = fc.constantFrom('markdown', 'json', 'yaml');
    const written = fc.constantFrom(...languageNames);
    await fc.assert(
      fc.asyncProperty(
        subsets,
        secrets,
        secrets,
        formats,
        written,
        async (wanted, appSecret, appKeyText, format, language) => {
          const appKey = appKeyText.replaceAll(/[+=]/g, '.');
          fc.pre(!appKey.includes(appSecret));
          const isKeyAlone = wanted.every((method) => method === 'key');
          const credential = `{ id: c, methods: [${wanted.join(', ')}], appKey: "${appKey}"${isKeyAlone ? '' : `, appSecret: "${appSecret}"`} }`;
          const yaml = credentialYaml(credential, endpoints);
          const { code, out, err } = await handover(
            yaml,
            '--credential',
            'c',
            '--url',
            url,
            '-o',
            format,
            ...(format === 'markdown' ? ['--language', language] : []),
          );
          assert.equal(code, 0, err);
          for (const form of [appSecret, encodeURIComponent(appSecret), Buffer.from(appSecret).toString('base64')]) {
            assert.ok(!(out + err).includes(form));
          }
          assert.equal((out + err).includes(appKey), !wanted.includes('key'));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is not read either: the store is opened without the key ring', async () => {
    const cli = await memoryCli();
    await cli.done('endpoint', 'create', 'orders', '--path', '/orders', '--authentication', 'hmac');
    await cli.done('consumer', 'create', 'acme');
    const issued = await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'c');
    const former = /App Secret {2}(\S+)/.exec(issued)?.[1] ?? '';
    const rotated = await cli.done('credential', 'rotate', 'c');
    const current = /App Secret {2}(\S+)/.exec(rotated)?.[1] ?? '';
    const page = await cli.done('handover', '--credential', 'c', '--url', url);
    assert.deepEqual([cli.wishes.at(-1)?.needsSecrets, cli.wishes.at(-1)?.command], [false, 'handover']);
    assert.equal(former.length, 43);
    for (const secret of [former, current]) assert.ok(!page.includes(secret));
    assert.match(page, /\| Former App Secret \| works until 2026-09-28 14:13:20 UTC \|/);
    cli.setNow(nowSeconds + 8 * 86_400);
    assert.ok(!(await cli.done('handover', '--credential', 'c', '--url', url)).includes('Former App Secret'));
  });

  it('is refused as the way by which it comes', async () => {
    const yaml = credentialYaml('{ id: c, method: key, appKey: a.b-c }', endpoints);
    const given = ['--credential', 'c', '--url', url, '--secret-by'];
    for (const [text, message] of [
      ['it is a.b-c.', /--secret-by holds the App Key, which is the secret/],
      ['key=a.b-c', /--secret-by holds the App Key/],
      [`secret: ${'Ab1_'.repeat(10)}abc`, /It looks like a secret/],
      ['0123456789abcdef0123456789abcdef', /It looks like a secret/],
      ['  ', /not all blanks/],
      ['x'.repeat(301), /1 to 300 characters/],
    ] as const) {
      const { code, out, err } = await handover(yaml, ...given, text);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    }
  });
});
