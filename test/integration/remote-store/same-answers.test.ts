import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { createRefusalSink } from '../../../src/stores/mongodb/refusals.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { type TwoDoors, useTwoDoors } from '../../support/management/two-doors.ts';

/** What differs between two runs of the same commands: times, what is generated, and the way of a change. */
function normal(text: string): string {
  return (
    text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/g, 'TIME')
      .replaceAll(/\bnow\b|\b\d+ seconds? ago/g, 'AGO')
      .replaceAll(/pot_[a-z0-9-]+\.[\w-]{43}/g, 'TOKEN')
      .replaceAll(/(?<![\w-])[\w-]{43}(?![\w-])/g, 'SECRET')
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, 'HASH')
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g, 'KEY')
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, 'EVENT')
      .replaceAll(/(?<=signature="?)[A-Za-z0-9+/=%-]{40,}/gi, 'SIGNATURE')
      .replaceAll(/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, 'TIME')
      // The API shows no secret again, and explain compares none.
      .replaceAll(/(?:is the current one of the|was not compared, .* here; the) credential(?: is)?: /g, 'COMPARED ')
      .replaceAll(/To see (?:it|them) again: .* --reveal|It is shown here only: .*\./g, 'AGAIN')
      .replaceAll('(secret; --reveal shows it)', '(secret)')
      .replaceAll('"KEY"', 'KEY')
      .replaceAll(/"id": "[0-9a-f]{8}"/g, '"id": "TOKEN-ID"')
      .replaceAll(/"appKeyEnd": "\w{4}"/g, '"appKeyEnd": "…"')
      .replaceAll(/\(?…\w{4}\)?/g, '…')
      .replaceAll(/("action": "|ACTION +)api /g, '$1')
      .replaceAll(/\bapi (?=(?:endpoint|consumer|credential|grant|limit|plan|issuer|operator|audit|apply)\b)/g, '')
  );
}

const script: readonly string[] = [
  'endpoint create orders --path /orders --authentication hmac --access-condition authenticated-and-authorized --label team=a',
  'endpoint create invoices --path /invoices --authentication key --label team=a',
  'endpoint create payments --path /payments --authentication oauth2',
  'endpoint edit orders --description Orders',
  'endpoint list',
  'endpoint list -o json',
  'endpoint show orders',
  'endpoint show orders -o yaml',
  'endpoint show nothing',
  'consumer create acme --name Acme --label tier=gold',
  'consumer create globex --label tier=silver',
  'consumer create acme',
  'consumer edit acme --name "Acme Ltd"',
  'consumer list -o json',
  'consumer list --label tier=gold',
  'credential issue --consumer acme --method hmac --id acme-hmac',
  'credential issue --consumer acme --method key --id acme-key -o json',
  'credential issue --consumer globex --method oauth2 --id globex-oauth2',
  'credential list',
  'credential list -o json',
  'credential show acme-hmac -o json',
  'credential show acme-key -o json',
  'credential edit acme-hmac --allow-from 10.0.0.0/8',
  'credential rotate acme-hmac --grace 7d -o json',
  'credential rotate acme-hmac --grace 7d',
  'credential rotate acme-hmac --grace 1d --force --dry-run -o json',
  'credential rotate acme-key --id acme-key-2 --grace 1d -o json',
  'credential revoke globex-oauth2 --yes -o json',
  'credential show globex-oauth2 -o json',
  'grant add --endpoint orders --consumer acme -o json',
  'grant add --endpoint orders --label tier=gold --priority 10 -o json',
  'grant list',
  'grant list -o json',
  'limit set 10/second/consumer --endpoint orders -o json',
  'limit set 5/second --endpoint orders --consumer acme',
  'plan create gold --label tier=gold --endpoint orders --priority 5 --limit 1000/day -o json',
  'plan list -o json',
  'plan show gold',
  'may acme orders',
  'may globex orders -o json',
  'who-may orders',
  'who-may orders -o json',
  'usage',
  'usage --by consumer -o json',
  'usage --consumer acme --by day -o json',
  'refusals',
  'refusals -o json',
  'refusals --request-id 0123abcd',
  'replicas',
  'replicas -o json',
  'replicas --forget 5f0c9e1ab27d',
  'operator add viola --role viewer --label team=a -o json',
  'operator list -o json',
  'operator show viola -o json',
  'operator token issue viola --expires 1d -o json',
  'operator edit viola --role support -o json',
  'operator disable viola',
  'operator remove viola --yes',
  'consumer disable globex --reason OPS-17 -o json',
  'consumer enable globex -o json',
  'consumer delete globex --yes -o json',
  'consumer delete globex --yes',
  'endpoint disable invoices -o json',
  'endpoint delete invoices --yes -o json',
  'issuer add idp --issuer https://idp.example.com --jwks-uri https://idp.example.com/keys --audience https://api.example.com',
  'issuer set idp --audience https://other.example.com -o json',
  'credential issue --consumer acme --method jwt --issuer idp --claim sub=acme --id acme-jwt -o json',
  'credential issue --consumer acme --method oauth2 --public-key FOLDER/public.pem --id acme-signer -o json',
  'credential issue --consumer acme --method certificate --certificate FOLDER/public.crt --id acme-crt -o json',
  'credential show acme-signer -o json',
  'credential show acme-crt -o json',
  'credential list -o json',
  'credential rotate acme-jwt --claim sub=acme-2 --id acme-jwt-2 --grace 1d -o json',
  'issuer remove idp --yes',
  'issuer list -o json',
  'credential rotate --consumer acme --method hmac --grace 1d --force --dry-run',
  'credential rotate --consumer acme --method hmac --grace 1d --force --out FOLDER/rotated.jsonl --yes -o json',
  'credential rotate --consumer acme --method hmac --grace 1d --force --out FOLDER/rotated.jsonl --yes',
  'credential find --from env:ONE_KEY',
  'audit list -o json',
  'audit list --consumer acme --limit 3 -o json',
  'audit list --resource endpoint/orders -o json',
  'export',
  'export -o json',
  'export --consumer acme',
  'apply -f FOLDER/one.yaml --dry-run -o json',
  'diff -f FOLDER/one.yaml -o json',
  'apply -f FOLDER/one.yaml -o json',
  'apply -f FOLDER/one.yaml -o json',
  'diff -f FOLDER/one.yaml',
  'diff -f FOLDER/two.yaml',
  'apply -f FOLDER/two.yaml --yes --prune -o json',
  'export',
  'consumer import FOLDER/partners.csv --method hmac --endpoint orders -o json',
  'consumer import FOLDER/partners.csv --method hmac --endpoint orders -o json',
  'credential import --consumer one --method key --secret-from env:HASHED_KEY --hash-only --id one-hash -o json',
  'credential edit one-hash --allow-from 10.0.0.0/8 -o json',
  'credential show one-hash -o json',
  'apply -f FOLDER/hashed.yaml --dry-run -o json',
  'apply -f FOLDER/keys.yaml -o json',
  'apply -f FOLDER/keys.yaml --prune --yes -o json',
  'apply -f FOLDER/taken.yaml -o json',
  'audit show 3',
  'audit show 3 -o json',
  'audit show 999999',
  'sign GET http://127.0.0.1:10000/orders/1?a=b --endpoint orders --app-key one-app-key --secret-from env:ONE_SECRET',
  'sign GET http://127.0.0.1:10000/orders/1 --endpoint nothing --app-key K --secret-from env:ONE_SECRET',
  'explain FOLDER/request.txt --secret-from env:ONE_SECRET',
  'explain FOLDER/request.txt --secret-from env:ONE_SECRET -o json',
  'explain FOLDER/request.txt --secret-from env:NO_SUCH_SECRET',
  'refusals --consumer one',
  'refusals --consumer one -o json',
  'refusals --follow --limit 1 -o json',
  'explain --request-id 5f0c9e1a',
  'explain --request-id 5f0c9e1a -o json',
  'explain --request-id 00000000',
  'credential find --request-id 5f0c9e1a',
  'credential edit one-hmac --expires 20d',
  'credential list --expiring 30d -o json',
  'credential list --expiring 1d',
  'credential list --unused 1d -o json',
  'credential list --former-in-use',
  'handover --credential one-key --url https://api.example.com --secret-by "by one-secret-app-key-of-32-characters."',
  'handover --credential one-hmac --url https://api.example.com -o json',
  'complete-ids consumer one',
  'wait --timeout 1s',
];

const one = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac }
consumers:
  - id: one
    credentials:
      - { id: one-hmac, method: hmac, appKey: one-app-key, appSecret: the-secret-of-one-0001 }
      - { id: one-key, method: key, appKey: one-secret-app-key-of-32-characters }
`;
const two = one
  .replace('secret-of-one-0001', 'secret-of-one-0002')
  .replace('consumers:', 'consumers:\n  - { id: two, name: Two }');

const hashed = one
  .replace('the-secret-of-one-0001', 'the-secret-of-one-0002')
  .concat(
    `      - { id: one-hash, method: key, appKeyHash: ${hashAppKey('a-key-that-is-kept-as-hash')}, allowFrom: [10.0.0.0/8] }\n`,
  );
const refusals = ['5f0c9e1a27d04b6f', '6f0c9e1a27d04b6f'].map((requestId, at) => ({
  id: String(at).repeat(24),
  atMs: Date.now() - 60_000 * (at + 1),
  requestId,
  ...{ endpointId: 'orders', method: 'GET', path: '/orders/1', code: 'AUTHENTICATION_FAILED' },
  ...{ detail: 'the signature is wrong', isObserved: false, consumerId: 'one', credentialId: 'one-hmac' },
  ...{ sourceAddress: '192.0.2.7', stringToSign: null, leftOut: 0, ownedBy: [] },
}));

/** The same App Key, of a credential without an id, and beside one that is new. */
const keys = hashed
  .replace('id: one-key, ', '')
  .concat('      - { id: one-new, method: key, appKey: one-more-app-key-of-34-characters }\n');
/** An App Key that another credential has. */
const taken = hashed.concat('      - { id: one-twice, method: key, appKey: one-secret-app-key-of-32-characters }\n');

const certificate = makeCertificate('partner', undefined, { names: ['partner.example.com'] });
const publicKey = createPublicKey(certificate.privateKey).export({ type: 'spki', format: 'pem' }).toString();

describe('commands over the management API and on the database itself', () => {
  const plain = useTwoDoors();
  const served = useTwoDoors();
  let token = '';

  before(async () => {
    await plain.newOperator('ada', '--role admin');
    token = await served.newOperator('ada', '--role admin');
    for (const { folder, database } of [plain, served]) {
      await createRefusalSink(database.db()).write(refusals);
      await writeFile(join(folder(), 'one.yaml'), one);
      await writeFile(join(folder(), 'two.yaml'), two);
      await writeFile(join(folder(), 'hashed.yaml'), hashed);
      await writeFile(join(folder(), 'keys.yaml'), keys);
      await writeFile(join(folder(), 'taken.yaml'), taken);
      await writeFile(join(folder(), 'public.pem'), publicKey);
      await writeFile(join(folder(), 'public.crt'), certificate.cert);
      await writeFile(join(folder(), 'partners.csv'), 'id,name,label.tier\nalpha,Alpha,gold\nbeta,Beta,silver\n');
    }
  });

  async function answer(doors: TwoDoors, line: string, environment: Readonly<Record<string, string>>): Promise<object> {
    const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const command = words.map((word) => word.replace('FOLDER', doors.folder()));
    const more = {
      ...environment,
      POSTERN_RATE_LIMIT_SERVICE: '127.0.0.1:1',
      ONE_KEY: 'no-such-key',
      ONE_SECRET: 'the-secret-of-one-0002',
      HASHED_KEY: 'a-key-that-is-kept-as-hash',
    };
    const { code, out, err } = await doors.run(command, more, line.includes(' --follow') ? { readsFor: 2 } : {});
    if (line.startsWith('sign ') && code === 0) await writeFile(join(doors.folder(), 'request.txt'), out);
    const clean = (text: string): string => normal(text.replaceAll(doors.folder(), 'FOLDER'));
    return { line, code, out: clean(out), err: clean(err) };
  }

  it('print the same and end with the same codes', async function () {
    this.timeout(240_000);
    const different: object[] = [];
    for (const line of script) {
      const there = await answer(served, line, served.remote(token));
      const here = await answer(plain, line, plain.direct());
      if (!isDeepStrictEqual(there, here)) different.push({ there, here });
    }
    assert.deepEqual(different, []);
  });
});
