import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { assertAnswered, call, createClient, newMark, settingsFor, type Subject } from '../../support/clients/calls.ts';
import { type Partner } from '../../support/clients/partner-document.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { fieldValue } from '../../support/http/http-message.ts';

/** A text must hold no App Secret and no secret App Key of these partners, however it is written. */
export function assertNoSecretLeaked(text: string, partners: readonly Partner[]): void {
  for (const { key, hmac, parameters, oauth2 } of partners) {
    const basic = [oauth2.appKey, oauth2.appSecret].map((part) => encodeURIComponent(part).replaceAll('%20', '+'));
    const secrets = [key, hmac.appSecret, parameters.appSecret, oauth2.appSecret];
    const pairs = [basic.join(':'), `${oauth2.appKey}:${oauth2.appSecret}`];
    for (const secret of [...secrets, ...secrets.map(encodeURIComponent), ...pairs]) {
      for (const form of encodingsOf(secret)) {
        // The text itself is not shown: it holds the secret.
        assert.ok(
          !text.toLowerCase().includes(form.toLowerCase()),
          `a text of the client holds the secret ${JSON.stringify(secret.slice(0, 12))}…`,
        );
      }
    }
  }
}

/** As it stands, in JSON, Base64 of both alphabets (as far as its end does not depend on what follows) and hex. */
function encodingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  const base64 = [whole.toString('base64'), whole.toString('base64url')];
  return [secret, JSON.stringify(secret).slice(1, -1), ...base64, bytes.toString('hex')];
}

/** What is printed and what fails shows no secret. */
export function secretCases(subject: () => Subject): void {
  describe('secrets', () => {
    for (const method of ['key', 'hmac', 'parameter-signature', 'oauth2'] as const) {
      it(`are not in what a client for ${method} prints`, async () => {
        const { driver, gateway, way, partner } = subject();
        const client = await createClient(subject(), method);
        const endpoints = {
          key: 'key',
          hmac: 'hmac',
          'parameter-signature': 'parameters',
          oauth2: 'bearer-shown',
        } as const;
        const mark = newMark();
        assertAnswered(await call(subject(), client, endpoints[method], mark), way);
        const text = await driver.print(client);
        assert.match(text, /\[secret\]/);
        assertNoSecretLeaked(text, [partner]);
        if (method === 'oauth2') {
          const [, token = ''] = (fieldValue(assertOne(gateway.received(mark)).headers, 'authorization') ?? '').split(
            ' ',
          );
          assert.ok(token.length > 20, 'the back end saw the token');
          assert.ok(!text.includes(token), 'the token is printed');
          assert.ok(!text.includes(token.split('.')[2] ?? token), 'the signature of the token is printed');
        }
      });
    }

    it('are not in the errors of connections that fail', async () => {
      const { driver, gateway, way, partner } = subject();
      const closed = await closedPort();
      for (const parts of [
        settingsFor(subject(), 'key'),
        { ...settingsFor(subject(), 'key'), carrier: { query: 'appKey' } },
        settingsFor(subject(), 'hmac'),
        settingsFor(subject(), 'parameter-signature'),
        settingsFor(subject(), 'oauth2'),
        { ...settingsFor(subject(), 'oauth2'), tokenUrl: `https://127.0.0.1:${String(closed)}/oauth2/token` },
      ]) {
        const client = await driver.create({ ...parts, retries: 0 });
        for (const url of [`https://127.0.0.1:${String(closed)}/a?b=1`, `http://127.0.0.1:${String(closed)}/a`]) {
          const sent = await driver.send(client, way, { method: 'POST', url, headers: [] });
          assert.ok('error' in sent && sent.error !== '', JSON.stringify(sent));
          assertNoSecretLeaked(sent.error, [partner]);
        }
      }
      // A certificate of an authority that the client does not know.
      const strangers = { method: 'key', appKey: partner.key, carrier: { query: 'appKey' } } as const;
      const client = await driver.create({ ...strangers, retries: 0 });
      const sent = await driver.send(client, way, { method: 'POST', url: `${gateway.url}/key`, headers: [] });
      assert.ok('error' in sent, JSON.stringify(sent));
      assertNoSecretLeaked(sent.error, [partner]);
    });
  });
}

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
