import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '../../../../src/check/methods/methods.ts';
import { presentations } from '../../../../src/check/methods/presentation/presentations.ts';
import { curl } from '../../../../src/cli/handover/samples/curl.ts';
import type { FirstCall } from '../../../../src/cli/handover/samples/language.ts';
import { languageNames, languages } from '../../../../src/cli/handover/samples/languages.ts';
import type { AuthenticationMethod } from '../../../../src/model/endpoint.ts';
import { readDocument } from '../../../support/docs/documents.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { credentialYaml, demoYaml, handover, hmacYaml, pageOf, url } from './handover-cli.ts';

/** The first block of a client's README that is a whole program, or the first one below a heading. */
function readmeExample(client: string, fence: string, heading = ''): string {
  const page = readDocument(`clients/${client}/README.md`).split(`# ${heading}\n`).at(-1) ?? '';
  return new RegExp(String.raw`^\x60{3}${fence}(?:,no_run)?\n(.*?)^\x60{3}$`, 'ms').exec(page)?.[1] ?? '';
}

describe('the samples of postern handover', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const callBy = (method: AuthenticationMethod): FirstCall => {
    const { client } = presentations[method];
    if (client === null) throw new Error(`no client signs by ${method}`);
    const hasPrivateKey = method === 'http-message-signature';
    return {
      ...{ client, hasPrivateKey, hasAppSecret: !hasPrivateKey && methods[method].proof !== 'app-key' },
      ...{ settings: {}, http: 'POST', body: '{"amount":12}' },
    };
  };
  const assertion = (): FirstCall => {
    const { client } = presentations.oauth2.guide.ofPublicKey ?? assert.fail();
    const settings = { tokenPath: '/oauth2/token' };
    return { client, hasPrivateKey: true, hasAppSecret: false, settings, http: 'GET', body: null };
  };
  const readmeCall = callBy('hmac');

  for (const name of languageNames.filter((each) => each !== 'shell')) {
    it(`in ${name} are the first example of the client's README`, () => {
      const { client, fence, program } = languages[name];
      const withoutBlankLines = (text: string): string => text.replaceAll(/\n+/g, '\n');
      assert.equal(withoutBlankLines(program(readmeCall)), withoutBlankLines(readmeExample(client, fence)));
      const withKey = withoutBlankLines(program(callBy('http-message-signature')));
      assert.equal(withKey, withoutBlankLines(readmeExample(client, fence, 'With a private key')));
    });
  }

  it('have the settings that the endpoint needs', () => {
    const hmac: FirstCall = { ...readmeCall, settings: { algorithm: 'hmac-sha512', nonce: true } };
    const raw: FirstCall = { ...callBy('parameter-signature'), settings: { encoding: 'raw' } };
    const key = { ...callBy('key'), http: 'GET', body: null };
    const header: FirstCall = { ...key, settings: { carrier: { header: 'X-Own' } } };
    const query: FirstCall = { ...header, settings: { carrier: { query: 'key' } } };
    const oauth2: FirstCall = { ...callBy('oauth2'), settings: { tokenPath: '/oauth2/token' } };
    const message = callBy('http-message-signature');
    const signed: FirstCall = { ...message, settings: { tag: 'pay', coverAlso: ['content-type', '@scheme'] } };
    const wanted: Readonly<Record<(typeof languageNames)[number], readonly RegExp[]>> = {
      javascript: [
        /algorithm: 'hmac-sha512', nonce: true \}/,
        /method: 'parameter-signature', .*encoding: 'raw'/,
        /\{ method: 'key', appKey: APP_KEY, carrier: \{ header: 'X-Own' \} \}/,
        /carrier: \{ query: 'key' \}/,
        /tokenUrl: TOKEN_URL/,
        /'http-message-signature', .*privateKey, tag: 'pay', coverAlso: \['content-type', '@scheme'\]/,
        /'private-key-jwt', appKey: APP_KEY, privateKey, tokenUrl: TOKEN_URL/,
      ],
      python: [
        /Hmac\(.*, algorithm="hmac-sha512", nonce=True\)/,
        /ParameterSignature\(.*, encoding="raw"\)/,
        /Key\(os\.environ\["APP_KEY"\], header="X-Own"\)/,
        /query="key"\)/,
        /OAuth2\(.*os\.environ\["TOKEN_URL"\]\)/,
        /MessageSignature\(.*file\.read\(\), tag="pay", cover_also=\["content-type", "@scheme"\]\)/,
        /PrivateKeyJwt\(.*file\.read\(\), os\.environ\["TOKEN_URL"\]\)/,
      ],
      go: [
        /WithAlgorithm\(postern\.HMACSHA512\), postern\.WithNonce\(\)\)/,
        /NewParameterSignature\(.*WithRawEncoding\(\)\)/,
        /NewKey\(os\.Getenv\("APP_KEY"\), postern\.WithKeyHeader\("X-Own"\)\)/,
        /WithKeyParameter\("key"\)/,
        /NewOAuth2\(.*os\.Getenv\("TOKEN_URL"\)\)/,
        /NewMessageSignature\(.*key, postern\.WithTag\("pay"\), postern\.WithCoverAlso\("content-type", "@scheme"\)\)/,
        /NewPrivateKeyJWT\(.*key, os\.Getenv\("TOKEN_URL"\)\)/,
      ],
      java: [
        /hmac\(.*\)\.algorithm\(HmacAlgorithm\.SHA512\)\.nonce\(true\)\.build\(\)/,
        /parameterSignature\(.*\)\.encoding\(ParameterEncoding\.RAW\)/,
        /key\(System\.getenv\("APP_KEY"\)\)\.header\("X-Own"\)/,
        /\.query\("key"\)/,
        /oauth2\(.*System\.getenv\("TOKEN_URL"\)\)/,
        /messageSignature\(.*key\)\.tag\("pay"\)\.coverAlso\("content-type", "@scheme"\)/,
        /privateKeyJwt\(.*key, System\.getenv\("TOKEN_URL"\)\)/,
      ],
      php: [
        /Hmac\(.*, algorithm: 'hmac-sha512', nonce: true\)/,
        /ParameterSignature\(.*, encoding: 'raw'\)/,
        /Key\(getenv\('APP_KEY'\), header: 'X-Own'\)/,
        /query: 'key'\)/,
        /OAuth2\(.*getenv\('TOKEN_URL'\)\)/,
        /HttpMessageSignature\(.*\$key, tag: 'pay', coverAlso: \['content-type', '@scheme'\]\)/,
        /PrivateKeyJwt\(.*\$key, getenv\('TOKEN_URL'\)\)/,
      ],
      rust: [
        /\{reqwest::\{Client, ResponseExt\}, Algorithm, Hmac\};[^]*\.algorithm\(Algorithm::HmacSha512\)\.nonce\(\)\)\?/,
        /ParameterSignature::new\(.*\)\?\.encoding\(Encoding::Raw\)/,
        /Key::new\(std::env::var\("APP_KEY"\)\?\)\?\.in_header\("X-Own"\)\?/,
        /\.in_query\("key"\)\?/,
        /\{reqwest::\{Client, OAuth2, ResponseExt\}\};[^]*OAuth2::new\(.*"TOKEN_URL"\)\?\)\?/,
        /HttpMessageSignature::new\(.*key\)\?\.tag\("pay"\)\?\.cover_also\(\["content-type", "@scheme"\]\)/,
        /ResponseExt\}, PrivateKey, PrivateKeyJwt\};[^]*PrivateKeyJwt::new\(.*key, .*"TOKEN_URL"\)\?\)\?/,
      ],
      shell: [
        /--algorithm hmac-sha512 --nonce/,
        /--method parameter-signature .*--raw/,
        /--method key --secret-from env:APP_KEY --key-header X-Own/,
        /--key-parameter key/,
        /--token-url "\$TOKEN_URL"/,
        /--private-key "file:\$PRIVATE_KEY_FILE" --tag pay --cover content-type --cover @scheme/,
        /--method private-key-jwt .*--token-url "\$TOKEN_URL"/,
      ],
    };
    for (const name of languageNames) {
      for (const [index, call] of [hmac, raw, header, query, oauth2, signed, assertion()].entries()) {
        assert.match(languages[name].program(call), wanted[name][index] ?? /^$/, name);
      }
      for (const call of [header, signed, assertion()]) {
        assert.ok(!languages[name].program(call).includes('APP_SECRET'), name);
      }
    }
  });

  it('call without a body where the endpoint takes GET, and with one where it does not', async () => {
    const endpoint = (methods: string): string =>
      `{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }], methods: [${methods}] }, authentication: hmac }`;
    const page = async (methods: string): Promise<string> =>
      await pageOf(hmacYaml([endpoint(methods)]), 'acme-hmac', '--language', 'python');
    assert.match(await page('GET, POST'), /session\.get\(os\.environ\["POSTERN_URL"\], timeout=10\)/);
    assert.match(await page('PUT'), /session\.put\(os\.environ\["POSTERN_URL"\], json=\{"amount": 12\}, timeout=10\)/);
    assert.match(await page('DELETE'), /session\.delete\(os\.environ\["POSTERN_URL"\], timeout=10\)/);
    assert.match(await page('PROPFIND'), /session\.request\("PROPFIND", os\.environ/);
  });

  it('quote a method of any characters that HTTP has for one', () => {
    const odd = "DO'IT`$x";
    const written: Readonly<Record<(typeof languageNames)[number], string>> = {
      javascript: `method: 'DO\\'IT\`$x'`,
      python: `session.request("DO'IT\`$x", `,
      go: `http.NewRequest("DO'IT\`$x", `,
      java: `.method("DO'IT\`$x", `,
      php: `->send('DO\\'IT\`$x', `,
      rust: `.request("DO'IT\`$x".parse()?, `,
      shell: `-X 'DO'\\''IT\`$x' `,
    };
    for (const name of languageNames) {
      for (const body of [null, '{"amount":12}']) {
        const program = languages[name].program({ ...readmeCall, http: odd, body });
        assert.ok(program.includes(written[name]), `${name}: ${program}`);
      }
      // Methods compare with case.
      const lower = languages[name].program({ ...readmeCall, http: 'get', body: null });
      assert.match(lower, /['" ]get['" ]/, name);
    }
    const script = join(folder.path, 'odd.mjs');
    writeFileSync(script, languages.javascript.program({ ...readmeCall, http: odd }));
    execFileSync(process.execPath, ['--check', script]);
    execFileSync('sh', ['-n'], { input: languages.shell.program({ ...readmeCall, http: odd }) });
  });

  it('quote a header and a scheme word of any characters that HTTP has for them', () => {
    const carrier = { header: "X-$HOME'`id`", scheme: 'a$HOME`id`!' };
    const program = curl.program({ ...callBy('key'), settings: { carrier } });
    const [, header = ''] = /^(printf .*) \| curl /m.exec(program) ?? [];
    const env = { PATH: process.env['PATH'], APP_KEY: 'the-key $x', HOME: 'expanded' };
    assert.equal(execFileSync('sh', ['-c', header], { env }).toString(), "X-$HOME'`id`: a$HOME`id`! the-key $x\n");
    const parts = curl.program({ ...callBy('key'), settings: { carrier: { header: 'X-Key' } } });
    assert.ok(parts.includes(`printf '%s\\n' 'X-Key: '"$APP_KEY" | curl`), parts);
  });

  it('are written into a folder with the page, and with a file for the secret that is empty', async () => {
    const to = join(folder.path, 'acme');
    const given = ['--credential', 'acme-oauth2', '--url', url, '--language', 'javascript'];
    const { code, out, err } = await handover(demoYaml, ...given, '--to', to);
    assert.equal(code, 0, err);
    const names = ['README.md', 'first-call.mjs', 'package.json', '.env.example', '.gitignore'];
    assert.equal(out, names.map((name) => `${join(to, name)}\n`).join(''));
    assert.deepEqual(readdirSync(to).sort(), [...names].sort());
    assert.match(err, /^Send postern-client-0\.1\.0\.tgz along, which "clients\/javascript\/run build" makes\.$/m);
    assert.equal(
      readFileSync(join(to, 'README.md'), 'utf8'),
      await pageOf(demoYaml, 'acme-oauth2', '--language', 'javascript'),
    );
    const script = `set -a; . ./.env.example; printf '%s|' "$POSTERN_URL" "$APP_KEY" "$APP_SECRET" "$TOKEN_URL"`;
    assert.equal(
      execFileSync('sh', ['-c', script], { cwd: to }).toString(),
      `${url}/stock|acme-oauth2-key||${url}/oauth2/token|`,
    );
    JSON.parse(readFileSync(join(to, 'package.json'), 'utf8'));
  });

  it('are written for several credentials at once, a folder for each', async () => {
    const to = join(folder.path, 'several');
    const both = ['--credential', 'acme-oauth2', '--credential', 'acme-hmac', '--url', url];
    const { code, out, err } = await handover(demoYaml, ...both, '--to', to);
    assert.equal(code, 0, err);
    assert.deepEqual(readdirSync(to).sort(), ['acme-hmac', 'acme-oauth2']);
    for (const id of readdirSync(to)) {
      assert.ok(out.includes(`${join(to, id, 'README.md')}\n`), out);
      assert.equal(readFileSync(join(to, id, 'README.md'), 'utf8'), await pageOf(demoYaml, id));
    }
    const pages = await handover(demoYaml, ...both);
    assert.equal(pages.code, 2);
    assert.match(pages.err, /several credentials need --to DIR, which gets a folder for each, or -o json/);
    const data = JSON.parse((await handover(demoYaml, ...both, '-o', 'json')).out) as readonly unknown[];
    assert.equal(data.length, 2);
    const again = await handover(demoYaml, ...both, '--to', to);
    assert.equal(again.code, 1);
    assert.match(again.err, /several is not empty/);
    // Nothing is written where one of them cannot be.
    const none = await handover(demoYaml, ...both, '--credential', 'nobody', '--to', join(folder.path, 'none'));
    assert.equal(none.code, 3);
    assert.ok(!readdirSync(folder.path).includes('none'));
  });

  it('have addresses that a shell reads as they are', async () => {
    const endpoint =
      '{ id: api, scenario: partner-openapi, match: { paths: [{ exact: "/a$(id)`x`\'b&c" }] }, authentication: hmac }';
    const to = join(folder.path, 'hostile');
    const credential = '{ id: c, method: hmac, appKey: K, appSecret: the-secret-of-acme }';
    await handover(credentialYaml(credential, [endpoint]), '--credential', 'c', '--url', url, '--to', to);
    const script = 'set -a; . ./.env.example; printf %s "$POSTERN_URL"';
    assert.equal(execFileSync('sh', ['-c', script], { cwd: to }).toString(), `${url}/a$(id)\`x\`'b&c`);
  });

  it('are not written where something is, or where nothing can be', async () => {
    const full = join(folder.path, 'full');
    mkdirSync(full);
    writeFileSync(join(full, '.hidden'), 'kept');
    const given = ['--credential', 'acme-hmac', '--url', url];
    const { code, out, err } = await handover(demoYaml, ...given, '--to', full);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /full is not empty; name a folder that is/);
    assert.deepEqual(readdirSync(full), ['.hidden']);
    const onFile = await handover(demoYaml, ...given, '--to', join(full, '.hidden'));
    assert.equal(onFile.code, 1);
    assert.match(onFile.err, /cannot be used \((EEXIST|ENOTDIR)\)/);
    const asData = await handover(demoYaml, ...given, '--to', join(folder.path, 'data'), '-o', 'json');
    assert.equal(asData.code, 2);
    assert.match(asData.err, /leave --output out/);
    assert.deepEqual(readdirSync(folder.path).includes('data'), false);
    const language = await handover(demoYaml, ...given, '--language', 'cobol');
    assert.equal(language.code, 2);
    assert.match(language.err, /Allowed choices are javascript, python, go, java, php, rust, shell/);
  });
});
