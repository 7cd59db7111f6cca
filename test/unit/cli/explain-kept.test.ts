import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { Secret } from '../../../src/model/secret.ts';
import type { RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { consumer, credential, keyEndpoint, partnerEndpoint } from '../../support/pipeline/resources.ts';
import { record } from '../../support/refusals/refused.ts';
import { memoryCli, nowSeconds } from './nouns/memory-cli.ts';
import type { CommandResult } from './run-cli.ts';

const SECRET = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';
const FORMER = 'the App Secret before, of which nothing is left';
const atSeconds = nowSeconds + 3600;
const date = new Date(atSeconds * 1000).toUTCString();
const appKey = 'k-of-acme';
const signer = {
  ...credential({
    ...{ id: 'acme-hmac', appKey, methods: ['hmac'], appSecret: Secret.fromText(SECRET) },
    retiringSecret: { appSecret: Secret.fromText(FORMER), expiresAt: atSeconds - 60 },
  }),
  appKey: Secret.fromText(appKey),
  appKeyHash: hashAppKey(appKey),
};
const revoked = { ...credential({ id: 'acme-old', state: 'revoked' }), appKey: null };
const limits = [
  { requests: 10, unit: 'minute', per: 'consumer' },
  { requests: 99, unit: 'day', per: 'consumer' },
  { requests: 50, unit: 'hour', per: 'endpoint' },
] as const;
const endpoints = [
  keyEndpoint(),
  partnerEndpoint('hmac', { id: 'invoices', paths: [{ prefix: '/invoices' }], limits }),
];
const stringToSign = `date: ${date}\nGET /invoices?a=1 HTTP/1.1`;

/** Runs `explain --request-id r-1` with a store that has these refusals. */
async function explain(
  refusals: readonly Partial<RefusalRecord>[],
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  columns?: number,
): Promise<CommandResult> {
  const cli = await memoryCli({ endpoints, consumers: [consumer()], credentials: [signer, revoked] });
  cli.setNow(atSeconds + 3600);
  for (const parts of refusals) {
    const usual = { endpointId: 'invoices', path: '/invoices', atMs: atSeconds * 1000, requestId: 'r-1', stringToSign };
    cli.refusals.add(record({ ...usual, ...parts }));
  }
  return await cli.run(['explain', '--request-id', 'r-1', ...args], {
    environment: { NO_COLOR: '1', ...environment },
    ...(columns === undefined ? {} : { columns }),
  });
}

/** The request of {@link stringToSign}, or another one, as curl; signed with this text. */
function curl(signed: string, query = '?a=1', path = '/invoices'): string {
  const signature = createHmac('sha256', SECRET).update(signed).digest('base64');
  const authorization = `hmac appkey="${appKey}", algorithm="hmac-sha256", headers="date request-line", signature="${signature}"`;
  return `curl 'http://api.example.com${path}${query}' -H 'Date: ${date}' -H 'Authorization: ${authorization}'\n`;
}

async function explainFile(text: string, refusal: Partial<RefusalRecord> = {}): Promise<CommandResult> {
  await using folder = await temporaryDirectory();
  const file = join(folder.path, 'request.txt');
  writeFileSync(file, text);
  return await explain([refusal], [file, '--secret-from', 'env:SECRET'], { SECRET });
}

describe('postern explain --request-id', () => {
  it('says of a wrong signature what it means, and asks for the request', async () => {
    const { code, out, err } = await explain([{}]);
    assert.deepEqual([code, err], [1, '']);
    assert.equal(
      out,
      `401 AUTHENTICATION_FAILED: the signature does not fit the request
  when            2026-09-21 15:13:20 UTC (60 minutes ago)
  request         GET /invoices
  endpoint        invoices
  consumer        acme
  credential      acme-hmac
  came from       192.0.2.7
  request id      r-1
  string to sign  date: ${date}
                  GET /invoices?a=1 HTTP/1.1

What it means to the partner: App Key, App Secret or the text that was signed is another one: path without query,
another version than HTTP/1.1 in the request line, white space at the end of the secret.

Note: Before the refusal, the former App Secret ended at 2026-09-21T15:12:20Z: a partner who goes on with the former one
is refused like this.

Next: let the partner compare the string to sign, byte by byte, or send the request, which shows the mistake:
  postern explain request.txt --request-id r-1
`,
    );
  });

  it('names what was wrong with the credential, and how to fix it', async () => {
    const detail = 'the credential acme-old is revoked';
    const parts = { credentialId: 'acme-old', endpointId: 'orders', path: '/orders', detail, stringToSign: null };
    const { out } = await explain([parts]);
    assert.match(
      out,
      /\n\nWrong: the credential acme-old is revoked\. \[credential-revoked\]\n\nFix: Issue a new credential; .*:\n {2}\$ postern credential issue --consumer acme --method key\n/,
    );
    assert.doesNotMatch(out, /Next:/);
  });

  const codes: readonly (readonly [Partial<RefusalRecord>, RegExp])[] = [
    [
      { code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant' },
      /\[not-authorized\]\n\nFix: Give the consumer a grant on the endpoint:\n {2}\$ postern grant add --endpoint invoices --consumer acme\n/,
    ],
    [
      { code: 'ADDRESS_NOT_ALLOWED', detail: 'the consumer acme may not call from this address' },
      /: You call from another address than you told us\. [^]*\[address-not-allowed\]\n\nFix: Look at the list, [^]*\n {2}\$ postern consumer show acme\n/,
    ],
    [
      { code: 'ADDRESS_NOT_ALLOWED', detail: 'the credential acme-hmac may not be used from this address' },
      /\n {2}\$ postern credential show acme-hmac\n/,
    ],
    [
      {
        code: 'unauthorized_client',
        detail: 'the credential acme-hmac may not be used from this address',
        endpointId: null,
      },
      /What it means to the partner: The client may not call from its address\.[^]*\[address-not-allowed\]\n\nFix: /,
    ],
    [
      { code: 'RATE_LIMITED', detail: 'over 10/minute/consumer' },
      /\n\nFix: Wait as many seconds as Retry-After says, .* to the double .*:\n {2}\$ postern grant add --endpoint invoices --consumer acme --limit 20\/minute --limit 99\/day\n/,
    ],
    [
      { code: 'RATE_LIMITED', detail: 'over 50/hour/endpoint' },
      /:\n {2}\$ postern limit set 10\/minute\/consumer 99\/day\/consumer 100\/hour\/endpoint --endpoint invoices\n/,
    ],
    [{ code: 'REQUEST_EXPIRED', detail: 'the time is 900 s off' }, /\[request-expired\]\n\nFix: Set the clock/],
    [{ code: 'REQUEST_REPLAYED', detail: 'the signature was used before' }, /\n\nFix: Sign every attempt again/],
    [{ code: 'RATE_LIMITED', detail: 'the limit is reached' }, /\n\nFix: Wait as many seconds as Retry-After says/],
    [{ code: 'STORE_UNAVAILABLE', detail: 'MongoDB does not answer' }, /\n\nFix: Nothing for the caller to fix/],
  ];
  for (const [parts, expected] of codes) {
    it(`says what to do about ${parts.code ?? ''}`, async () => {
      assert.match((await explain([parts])).out, expected);
    });
  }

  it('compares a secret that is given with the stored ones, and prints none', async () => {
    const given = async (secret: string): Promise<string> => {
      const { out } = await explain([{}], ['--secret-from', 'env:SECRET'], { SECRET: secret });
      assert.ok(![SECRET, FORMER, 'another'].some((text) => out.includes(`${text}\n`)), out);
      return out;
    };
    assert.match(await given(SECRET), /\nNote: The App Secret given is the right one: /);
    assert.match(await given('another one'), /\[secret-not-stored\]/);
    assert.match(await given(FORMER), /\[former-secret\]/);
  });

  it('says what changed since: the credential, the endpoint', async () => {
    const gone = await explain([{ credentialId: 'acme-gone', endpointId: 'gone' }]);
    assert.match(
      gone.out,
      /\nNote: The credential acme-gone is no longer there\.\nNote: The endpoint gone is no longer/,
    );
    const since = await explain([{ credentialId: 'acme-old' }]);
    assert.match(since.out, /\nNote: Today, the credential acme-old is not for hmac\.\n/);
    const changed = await explain([{ atMs: (nowSeconds - 60) * 1000 }]);
    assert.match(changed.out, /\nNote: The credential or its consumer was changed after the refusal\.\n/);
  });

  it('explains a refused client of the OAuth2 endpoints', async () => {
    const parts = {
      endpointId: null,
      code: 'invalid_client',
      detail: 'the client secret is wrong',
      stringToSign: null,
    };
    const { out } = await explain([parts], ['--secret-from', 'env:SECRET'], { SECRET: 'another one' });
    assert.match(out, /^invalid_client: the client secret is wrong\n/);
    assert.match(
      out,
      /What it means to the partner: The client_id is known; its client_secret or client_assertion is wrong/,
    );
  });

  describe('after a rotation', () => {
    const explained = async (line: string, atMs: number, refused: Partial<RefusalRecord>): Promise<string> => {
      const cli = await memoryCli({ endpoints, consumers: [consumer()] });
      const issued = [
        'credential issue --consumer acme --method hmac --id h',
        'credential issue --consumer acme --method key --id k',
      ];
      for (const command of issued) await cli.done(...command.split(' '));
      cli.setNow(nowSeconds + 600);
      await cli.done(...line.split(' '), '--yes');
      cli.setNow(nowSeconds + 86_400);
      cli.refusals.add(record({ endpointId: 'invoices', requestId: 'r-1', atMs, ...refused }));
      return (await cli.run(['explain', '--request-id', 'r-1'])).out.replaceAll('\n', ' ');
    };
    const after = (seconds: number): number => (nowSeconds + seconds) * 1000;

    it('says when it was and when the former secret ended', async () => {
      const out = await explained('credential rotate h --grace 1h', after(5000), { credentialId: 'h' });
      assert.match(
        out,
        /Note: Before the refusal, the credential was rotated at 2026-09-21T14:23:20Z, and its former App Secret ended at 2026-09-21T15:23:20Z: a partner who goes on with the former one is refused like this\./,
      );
      const early = await explained('credential rotate h --grace 1h', after(900), { credentialId: 'h' });
      assert.match(
        early,
        /rotated at 2026-09-21T14:23:20Z, and its former App Secret worked until 2026-09-21T15:23:20Z\./,
      );
      const atOnce = await explained('credential rotate h --grace 0', after(601), { credentialId: 'h' });
      assert.match(
        atOnce,
        /rotated at 2026-09-21T14:23:20Z, and its former App Secret ended at 2026-09-21T14:23:20Z: /,
      );
    });

    it('says which key follows, where the App Key is the secret', async () => {
      const parts = { credentialId: 'k', endpointId: 'orders', detail: 'the credential k has expired' };
      const out = await explained('credential rotate k --grace 1h --id k-2', after(5000), parts);
      assert.match(
        out,
        /rotated at 2026-09-21T14:23:20Z, and its App Key ended at 2026-09-21T15:23:20Z; k-2 follows it: /,
      );
      const revoked = { ...parts, detail: 'the credential k is revoked' };
      assert.doesNotMatch(await explained('credential revoke k', after(5000), revoked), /rotated/);
    });

    it('says nothing of one that came after the refusal, and of other refusals', async () => {
      const before = await explained('credential rotate h --grace 0', after(300), { credentialId: 'h' });
      assert.doesNotMatch(before, /rotated/);
      const limited = { credentialId: 'h', code: 'RATE_LIMITED', detail: 'over 10/minute/consumer' };
      assert.doesNotMatch(await explained('credential rotate h --grace 0', after(5000), limited), /rotated/);
    });
  });

  it('fits a terminal of 80 columns, but for commands, which stand whole', async () => {
    const refusals = [{}, { code: 'RATE_LIMITED', detail: 'over 10/minute/consumer and 50/hour/endpoint' }];
    for (const refused of refusals) {
      const { out } = await explain([refused], [], {}, 80);
      const long = out.split('\n').filter((line) => line.length > 80);
      assert.ok(
        long.every((line) => line.startsWith('  $ postern ')),
        long.join('\n'),
      );
    }
  });

  it('gives programs the same', async () => {
    const { code, out } = await explain(
      [{ code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant' }],
      ['-o', 'json'],
    );
    assert.equal(code, 1);
    const { refusal, authentication, mistakes, notes } = JSON.parse(out) as Record<string, unknown>;
    assert.equal((refusal as { requestId: string }).requestId, 'r-1');
    assert.deepEqual([authentication, notes], ['hmac', []]);
    assert.deepEqual(
      (mistakes as { name: string; command: string }[]).map(({ name, command }) => [name, command]),
      [['not-authorized', 'grant add --endpoint invoices --consumer acme']],
    );
  });

  it('says when it is not kept, is not one, or nothing is named', async () => {
    const none = await explain([]);
    assert.equal(none.code, 3);
    assert.match(none.err, /^postern explain: no refusal with the request id r-1 is kept: /);
    const several = await explain([{ requestId: 'r-11' }, { requestId: 'r-12' }]);
    assert.deepEqual(
      [several.code, several.err],
      [2, 'postern explain: several request ids begin with it: r-12, r-11\n'],
    );
    const cli = await memoryCli();
    assert.match((await cli.run(['explain'])).err, /^postern explain: name the request: its FILE, /);
    assert.equal((await cli.run(['explain', '--request-id', 'r', '--method', 'hmac'])).code, 2);
  });

  it('explains the request of a file as of the time of the refusal, and sees that it is the one', async () => {
    const { out } = await explainFile(curl(`date: ${date}\nGET /invoices HTTP/1.1`));
    assert.match(out, /^Wrong: the path was signed without its query\. \[path-without-query\]\n/);
    assert.match(
      out,
      /\nNote: The refusal that is kept: AUTHENTICATION_FAILED, the signature does not fit the request\.\n/,
    );
    assert.match(out, /\nNote: Its string to sign is that of the request given: they are the same request\.\n/);
  });

  it('finds the line of the log by the whole request id, of which only the beginning was given', async () => {
    const { out } = await explainFile(curl(stringToSign), { requestId: 'r-1-whole' });
    assert.match(out, /\nRequest r-1-whole\. .*\n {2}grep -F '"requestId":"r-1-whole"'\n$/);
  });

  it('says that a request was not compared, as its refusal is not kept', async () => {
    const { out } = await explainFile(curl(stringToSign), { requestId: 'another' });
    assert.match(out, /\nNote: No refusal with this request id is kept, so the request was not compared with it\.\n/);
  });

  it('sees that the request of a file is another one', async () => {
    const other = await explainFile(curl(stringToSign, '?a=2'));
    assert.match(
      other.out,
      /\nNote: Its string to sign differs from that of the request given, from byte 53 on: refused was "GET \/invoices\?a=1 HTTP\/1\.1", given is "GET \/invoices\?a=2 HTTP\/1\.1"\.\n/,
    );
    const elsewhere = await explainFile(curl(stringToSign, '', '/invoices/2'));
    assert.match(
      elsewhere.out,
      /\nNote: It is of another request than the one given: GET \/invoices, not GET \/invoices\/2\.\n/,
    );
  });
});
