import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../../src/model/secret.ts';
import { AccessTokens } from '../../../src/check/tokens/access-tokens.ts';
import { readUnverifiedClaims } from '../../../src/check/tokens/token-claims.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { ringText, testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';
import { consumer, credential, groupGrant, partnerEndpoint } from '../../support/pipeline/resources.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { APP_SECRET, HMAC_APP_KEY, hmacCredential, put } from './support.ts';
import { materialWith } from '../../support/store/secrets.ts';

const at = '2026-11-07T02:40:00Z';
const date = 'Sat, 07 Nov 2026 02:40:00 GMT';
const issuer = 'http://127.0.0.1:10000';

describe('postern explain with MongoDB and its key ring', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    for (const number of [1, 2]) {
      writeFileSync(join(folder.path, `ring-${String(number)}.yaml`), ringText(number), { mode: 0o600 });
    }
    const match = (prefix: string) => ({ hosts: [], paths: [{ prefix }], methods: [] });
    const client = credential({ id: 'client', methods: ['oauth2'], appKey: 'client-of-acme' });
    await ensureSchema(database.db());
    await put(database.db(), {
      endpoints: [
        { ...partnerEndpoint('hmac'), id: 'invoices', match: match('/invoices') },
        { ...partnerEndpoint('oauth2'), id: 'stock', match: match('/stock') },
        {
          ...partnerEndpoint('oauth2'),
          ...{ id: 'guarded', match: match('/guarded'), accessCondition: 'authenticated-and-authorized' },
        },
      ],
      consumers: [consumer()],
      credentials: [
        hmacCredential(),
        {
          ...client,
          material: materialWith(Secret.fromText('the-secret-of-acme-for-tests')),
          appKey: Secret.fromText('client-of-acme'),
        },
      ],
    });
  });
  after(() => folder[Symbol.asyncDispose]());

  async function explain(request: string, ring: string | null = 'ring-1.yaml'): Promise<CommandResult> {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, request);
    return await runCli(['explain', file, '--at', at], {
      POSTERN_STORE: database.uri(),
      POSTERN_KEYRING: ring === null ? '' : join(folder.path, ring),
    });
  }

  const signed = (text: string): string => {
    const mac = createHmac('sha256', APP_SECRET).update(text).digest('base64');
    const authorization = `hmac appkey="${HMAC_APP_KEY}", algorithm="hmac-sha256", headers="date request-line", signature="${mac}"`;
    return `curl 'http://h/invoices?a=1' -H 'Date: ${date}' -H 'Authorization: ${authorization}'`;
  };
  const right = signed(`date: ${date}\nGET /invoices?a=1 HTTP/1.1`);

  it('opens the App Secret with the key ring', async () => {
    assert.match((await explain(right)).out, /^Right: the signature fits the request\.\n/);
    const wrong = await explain(signed(`date: ${date}\nGET /invoices HTTP/1.1`));
    assert.match(wrong.out, /^Wrong: the path was signed without its query\. \[path-without-query\]\n/);
  });

  it('says what it takes where the key ring is missing or another one', async () => {
    for (const ring of [null, 'ring-2.yaml']) {
      const { code, out, err } = await explain(right, ring);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, /the App Secret of the credential acme-hmac cannot be read here: .*POSTERN_KEYRING/);
    }
  });

  describe('of an access token', () => {
    const token = (): string => {
      const ring = testKeyRing(1);
      const tokens = new AccessTokens({ issuer, ring: () => ring, clock: fixedClock(Date.parse(at) / 1000 - 60) });
      const subject = { clientId: 'client-of-acme', consumerId: 'acme', credentialId: 'client', expiresAt: null };
      return tokens.issue(subject).text;
    };
    const bearer = (text: string, path = '/stock'): string => `curl http://h${path} -H 'Authorization: Bearer ${text}'`;

    it('verifies it with the key ring, and looks for its grant', async () => {
      assert.deepEqual(await explain(bearer(token())), {
        code: 0,
        out: 'Right: the access token is valid.\nThe gateway lets it pass, to the limits.\n',
        err: '',
      });
      assert.match((await explain(bearer(token(), '/guarded'))).out, /\[not-authorized\]\nThe gateway answers 403/);
      assert.match((await explain(bearer(token()), 'ring-2.yaml')).out, /\[token-not-issued-here\]\n/);
      assert.match((await explain(bearer(token()), null)).out, /^Not judged: /);
    });

    it('finds the grant for the labels of the consumer', async () => {
      const passes = /The gateway lets it pass/;
      assert.doesNotMatch((await explain(bearer(token(), '/guarded'))).out, passes);
      await put(database.db(), {
        consumers: [consumer({ labels: { tier: 'gold' } })],
        grants: [groupGrant({ endpointId: 'guarded' })],
      });
      assert.match((await explain(bearer(token(), '/guarded'))).out, passes);
      await put(database.db(), { consumers: [consumer()] });
      assert.match((await explain(bearer(token(), '/guarded'))).out, /\[not-authorized\]/);
    });

    it('knows that its client revoked it', async () => {
      const text = token();
      const { tokenId = '', expiresAt = 0 } = readUnverifiedClaims(text) ?? {};
      await database
        .db()
        .collection<{ _id: string }>('revokedTokens')
        .insertOne({ _id: tokenId, ...{ credentialId: 'client', expiresAt: new Date(expiresAt * 1000) } });
      const { code, out } = await explain(bearer(text));
      assert.equal(code, 1);
      assert.match(out, /^Wrong: the token was revoked by its client\. \[token-revoked\]\nThe gateway answers 401/);
    });
  });
});
