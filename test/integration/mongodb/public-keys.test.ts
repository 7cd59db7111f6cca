import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON, type Document } from 'mongodb';
import { collections } from '../../../src/stores/mongodb/schema/collections.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { badKeys, samplePair, spki } from '../../support/keys/bad-keys.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;
const FORMER_THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const JWK = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

describe('credentials with a public key, by commands', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    await done('consumer create acme --label tier=gold');
    await done('endpoint create orders --path /orders --authentication http-message-signature');
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(line: string): Promise<CommandResult> {
    const keyRing = { POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) };
    return await runCli(line.split(' '), { POSTERN_STORE: database.uri(), POSTERN_ACTOR: 'ada', ...keyRing });
  }

  async function done(line: string): Promise<string> {
    const { code, out, err } = await run(line);
    assert.equal(code, 0, err);
    return out;
  }

  function fileWith(name: string, text: string): string {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  }

  const jsonOf = async (line: string): Promise<Document> => JSON.parse(await done(`${line} -o json`)) as Document;
  const storedKey = async (id: string): Promise<unknown> =>
    (await database.db().collection<{ _id: string } & Document>('credentials').findOne({ _id: id }))?.['publicKey'];
  const issue = 'credential issue --consumer acme --method http-message-signature';

  it('are issued with PEM, a certificate, a JWK, and one key of a set', async () => {
    const { cert, privateKey } = makeCertificate('acme');
    const { kty, crv, x, y } = privateKey.export({ format: 'jwk' });
    const set = {
      keys: [
        { ...JWK, kid: 'other' },
        { kty, crv, x, y, kid: 'acme-1' },
      ],
    };
    const ofPem = await done(`${issue} --id pem --public-key ${fileWith('a.pem', spki(samplePair.publicKey))}`);
    assert.match(ofPem, /App Key {5}[0-9a-f]{32}\n {2}Public key {2}Ed25519, 256 bits\n {2}Thumbprint {2}[\w-]{43}\n/);
    assert.match(ofPem, /postern handover --credential pem --url http/);
    await done(`${issue} --id cert --public-key ${fileWith('a.crt', cert)}`);
    await done(`${issue} --id set --public-key ${fileWith('a.jwks', JSON.stringify(set))} --kid acme-1`);
    const jwk = await jsonOf(
      `credential issue --consumer acme --method oauth2 --id jwk --public-key ${fileWith('a.json', JSON.stringify(JWK))} --app-key thumbprint`,
    );
    assert.deepEqual(await storedKey('pem'), samplePair.publicKey.export({ format: 'jwk' }));
    assert.deepEqual([await storedKey('cert'), await storedKey('set')], Array(2).fill({ kty, crv, x, y }));
    assert.deepEqual(
      [jwk['appKey'], jwk['publicKey'], jwk['key']],
      [FORMER_THUMBPRINT, { jwk: JWK }, { type: 'Ed25519', bits: 256, thumbprint: FORMER_THUMBPRINT }],
    );
    assert.equal(jwk['appSecret'], undefined);
  });

  it('rotate to the key that the partner made, with a grace period', async () => {
    const file = fileWith('first.json', JSON.stringify(JWK));
    await done(`${issue} --id rotated --public-key ${file} --app-key https://acme.example/keys#1`);
    const next = fileWith('next.pem', spki(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey));
    assert.match(
      await done(`credential rotate rotated --public-key ${next} --grace 1d`),
      /The former public key works until /,
    );
    const shown = await jsonOf('credential show rotated');
    assert.equal(shown['appKey'], 'https://acme.example/keys#1');
    assert.deepEqual(shown['retiringKey'], { type: 'Ed25519', bits: 256, thumbprint: FORMER_THUMBPRINT });
    assert.match(String((shown['key'] as Document)['thumbprint']), THUMBPRINT);
    const text = await done('credential show rotated');
    assert.match(text, /public key +ECDSA P-384, 384 bits\n +thumbprint +[\w-]{43}\n/);
    assert.match(text, new RegExp(`former public key +${FORMER_THUMBPRINT}`));
    assert.match(await done('credential list --consumer acme --state rotating'), /rotated/);
    const again = await run(`credential rotate rotated --public-key ${file} --grace 0`);
    assert.deepEqual(
      [again.code, again.err.includes('the former public key of "rotated" still works until')],
      [4, true],
    );
    assert.match(
      await done(`credential rotate rotated --public-key ${file} --grace 0 --force`),
      /is refused from now on/,
    );
    assert.equal((await jsonOf('credential show rotated'))['retiringKey'], undefined);
  });

  it('are left out where many are rotated, and need the new key where one is', async () => {
    const many = await done('credential rotate --label tier=gold --dry-run');
    assert.match(many, /pem .*has a public key: rotate it by itself, with the new key of its partner/);
    const one = await run('credential rotate pem');
    assert.deepEqual(
      [one.code, one.err.trim()],
      [
        4,
        'postern credential rotate: the credential "pem" has a public key, and only its partner can make another; give the new one with --public-key FILE',
      ],
    );
  });

  it('have their keys in the audit trail by their thumbprints', async () => {
    const [last] = (await jsonOf('audit list --resource credential/rotated')) as unknown as readonly Document[];
    const shown = await done(`audit show ${String(last?.['event'])}`);
    const [, before, after] = /publicKey:\s+- "(.*)"\s+\+ "(.*)"/.exec(shown) ?? [];
    assert.match(before ?? '', /^ECDSA P-384, 384 bits, thumbprint [\w-]{43}$/);
    assert.equal(after, `Ed25519, 256 bits, thumbprint ${FORMER_THUMBPRINT}`);
  });

  it('come out of an export and go in again', async () => {
    const file = fileWith('all.yaml', await done('export'));
    assert.match(await done(`diff -f ${file}`), /^No differences /);
    assert.equal((await run(`validate -f ${file}`)).code, 0);
  });

  it('need what their flags say', async () => {
    const file = fileWith('b.json', JSON.stringify(JWK));
    const wrong: Readonly<Record<string, string>> = {
      [issue]: '--public-key is missing: a credential for http-message-signature has the public key of its partner',
      'credential issue --consumer acme --method oauth2 --app-key a':
        '--app-key goes with --public-key; "credential import" takes over an App Key with its secret',
      'credential issue --consumer acme --method oauth2 --kid a':
        '--kid chooses a key of the set that --public-key reads; give both, or neither',
      [`credential issue --consumer acme --method hmac --public-key ${file}`]:
        'method hmac cannot be used with a public key',
      [`${issue} --public-key ${join(folder.path, 'absent')}`]: 'cannot be read (ENOENT)',
      [`${issue} --public-key {"kty":"OKP"}`]: '--public-key takes a file, or - for standard input, not the key itself',
      [`${issue} --public-key ${file} --app-key a"b`]: 'must be 1 to 512 printable ASCII characters',
      [`credential rotate --all --public-key ${file}`]: '--public-key is for one credential, which has to be named',
      'credential import --consumer acme --method http-message-signature --secret-from env:KEY_RING':
        'import is for secrets, and http-message-signature has none',
    };
    for (const [line, message] of Object.entries(wrong)) {
      const { code, err } = await run(line);
      assert.deepEqual([code, err.includes(message)], [2, true], `${line}: ${err}`);
    }
  });

  it('are refused with what is no public key, and nothing of it is printed or kept', async () => {
    for (const { name, text, fault } of badKeys()) {
      const { code, out, err } = await run(`${issue} --public-key ${fileWith('bad', text)}`);
      assert.deepEqual([code, out], [2, ''], name);
      const known =
        text.length > 65_536 ? 'cannot be read (it has more than 65536 bytes)' : `--public-key: this ${fault}`;
      assert.ok(err.includes(known), `${name}: ${err}`);
      assert.doesNotMatch(err.replaceAll(folder.path, ''), /[A-Za-z0-9+/_-]{24,}/, name);
    }
    const { code, err } = await runCli(
      [...issue.split(' '), '--public-key', String(samplePair.privateKey.export({ type: 'pkcs8', format: 'pem' }))],
      { POSTERN_STORE: database.uri(), POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
    );
    assert.equal(code, 2);
    assert.ok(err.includes('--public-key: this is a private key: it must never leave the partner'), err);
    assert.doesNotMatch(err, /[A-Za-z0-9+/_-]{24,}/);
    const dump: Document[] = [];
    for (const { name } of collections) dump.push(...(await database.db().collection(name).find().toArray()));
    const { d = '' } = samplePair.privateKey.export({ format: 'jwk' });
    assert.ok(!BSON.EJSON.stringify(dump).includes(d));
  });
});
