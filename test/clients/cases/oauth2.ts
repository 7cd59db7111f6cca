import assert from 'node:assert/strict';
import {
  assertAnswered,
  assertRefusal,
  call,
  createClient,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { type Way } from '../../support/clients/protocol.ts';
import { type ForeignAnswer, type ForeignRequest } from '../../support/clients/other-origin.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';

const octets = ['Content-Type', 'application/octet-stream'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;

const ofJson = { 'content-type': 'application/json' };
const made = (more: object): ForeignAnswer => ({ status: 200, headers: ofJson, body: JSON.stringify(more) });

/** What an address of tokens may answer that is no token, and what the error must then say. */
const noTokens: Readonly<Record<string, readonly [ForeignAnswer, RegExp]>> = {
  'an error of RFC 6749': [
    { status: 400, headers: ofJson, body: '{"error":"invalid_scope","error_description":"The scope is not known."}' },
    /invalid_scope/,
  ],
  'an error without a description': [
    { status: 503, headers: ofJson, body: '{"error":"server_error"}' },
    /server_error/,
  ],
  'a page': [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }, /./],
  'JSON that is no object': [made([]), /./],
  'no access_token': [made({ token_type: 'bearer', expires_in: 60 }), /./],
  'an access_token that is a number': [made({ access_token: 1, token_type: 'bearer', expires_in: 60 }), /./],
  'an access_token with a line feed': [made({ access_token: 'a\r\nb: c', token_type: 'bearer', expires_in: 60 }), /./],
  'a token of another type': [made({ access_token: 'a', token_type: 'mac', expires_in: 60 }), /./],
};

/** Tokens are asked for once, kept, renewed after a 401, and what is no token is an error. */
export function oauth2Cases(way: Way, subject: () => Subject): void {
  describe('access tokens', () => {
    const codes = async (mark: string): Promise<readonly (string | null)[]> =>
      (await subject().gateway.decisions(mark)).map(({ code }) => code);

    /** How many tokens Postern issued while an action ran. */
    const issuedDuring = async (action: () => Promise<void>): Promise<number> => {
      const before = await subject().gateway.tokenRequests('ok');
      await action();
      return (await subject().gateway.tokenRequests('ok')) - before;
    };

    /** Makes a call whose back end sees the token, and revokes it. */
    const revokeTokenOf = async (client: string, mark: string): Promise<void> => {
      const { gateway, partner } = subject();
      assertAnswered(await call(subject(), client, 'bearer-shown', mark), way);
      const [, token = ''] =
        /^Bearer (.+)$/.exec(fieldValue(assertOne(gateway.received(mark)).headers, 'authorization') ?? '') ?? [];
      const { appKey, appSecret } = partner.oauth2;
      const basic = [appKey, appSecret].map(encodeURIComponent).join(':');
      const answer = await http1(gateway.plainPort, {
        method: 'POST',
        target: '/oauth2/revoke',
        headers: [form, ['Authorization', `Basic ${Buffer.from(basic).toString('base64')}`]],
        body: new URLSearchParams({ token }).toString(),
      });
      assert.equal(answer.status, 200, answer.body.toString());
    };

    it('asks once for many calls at once, and once for those after them', async () => {
      const issued = await issuedDuring(async () => {
        const client = await createClient(subject(), 'oauth2');
        const mark = newMark();
        const sent = await Promise.all(Array.from({ length: 20 }, () => call(subject(), client, 'bearer', mark)));
        for (const each of [...sent, await call(subject(), client, 'bearer', mark)]) assertAnswered(each, way);
      });
      assert.equal(issued, 1);
    });

    it('gets a new token when the gateway refuses the old one, and calls again', async () => {
      const mark = newMark();
      const issued = await issuedDuring(async () => {
        const client = await createClient(subject(), 'oauth2', { retries: 0 });
        await revokeTokenOf(client, mark);
        const parts = { method: 'POST', headers: [octets], body: { text: 'again' } };
        assertAnswered(await call(subject(), client, 'bearer', mark, parts), way);
        assert.equal(subject().gateway.received(mark).at(-1)?.body.toString(), 'again');
        assertAnswered(await call(subject(), client, 'bearer', mark), way);
      });
      assert.deepEqual([issued, await codes(mark)], [2, ['ALLOWED', 'TOKEN_INVALID', 'ALLOWED', 'ALLOWED']]);
    });

    if (way.library?.isWithoutStreams !== true) {
      it('gives the refusal of a stream that can be read once, and calls with a new token after it', async () => {
        const mark = newMark();
        const client = await createClient(subject(), 'oauth2');
        await revokeTokenOf(client, mark);
        const parts = { method: 'POST', headers: [octets], body: { text: 'once' }, once: true };
        assertRefusal(await call(subject(), client, 'bearer', mark, parts), 401, 'TOKEN_INVALID');
        assertAnswered(await call(subject(), client, 'bearer', mark), way);
        assert.deepEqual(await codes(mark), ['ALLOWED', 'TOKEN_INVALID', 'ALLOWED']);
      });
    }

    it('calls again once only, and asks as RFC 6749 says', async () => {
      const { gateway, partner } = subject();
      const mark = newMark();
      gateway.elsewhere.answer(mark, () =>
        made({ access_token: 'a-token-of.nobody', token_type: 'Bearer', expires_in: 600 }),
      );
      const client = await createClient(subject(), 'oauth2', { tokenUrl: `${gateway.elsewhere.url}/token/${mark}` });
      assertRefusal(await call(subject(), client, 'bearer', mark), 401, 'TOKEN_INVALID');
      assert.deepEqual(await codes(mark), ['TOKEN_INVALID', 'TOKEN_INVALID']);
      const asked = gateway.elsewhere.received(mark);
      assert.equal(asked.length, 2);
      for (const request of asked) assertTokenRequest(request, partner.oauth2);
    });

    it('says that the client is not valid when the App Secret is wrong', async () => {
      const [mark, client] = [newMark(), await createClient(subject(), 'oauth2', { appSecret: 'not the right one' })];
      const sent = await call(subject(), client, 'bearer', mark);
      assert.ok('error' in sent, JSON.stringify(sent));
      assert.match(sent.error, /invalid_client/);
      assert.deepEqual(await codes(mark), []);
    });

    for (const [name, [answer, text]] of Object.entries(noTokens)) {
      it(`is an error, and asked again by the next call: ${name}`, async () => {
        const { gateway } = subject();
        const mark = newMark();
        gateway.elsewhere.answer(mark, () => answer);
        const tokenUrl = `${gateway.elsewhere.url}/token/${mark}`;
        const client = await createClient(subject(), 'oauth2', { tokenUrl, retries: 0 });
        for (const count of [1, 2]) {
          const sent = await call(subject(), client, 'bearer', mark);
          assert.ok('error' in sent, JSON.stringify(sent));
          assert.match(sent.error, text);
          assert.equal(gateway.elsewhere.received(mark).length, count);
        }
        assert.deepEqual(await codes(mark), []);
      });
    }
  });
}

function assertTokenRequest(
  { headers, body }: ForeignRequest,
  { appKey, appSecret }: { readonly appKey: string; readonly appSecret: string },
): void {
  assert.equal(body.toString(), 'grant_type=client_credentials');
  assert.match(fieldValue(headers, 'content-type') ?? '', /^application\/x-www-form-urlencoded(;|$)/i);
  const [, basic = ''] = /^Basic (\S+)$/.exec(fieldValue(headers, 'authorization') ?? '') ?? [];
  const [id = '', secret = '', ...more] = Buffer.from(basic, 'base64').toString().split(':');
  const decoded = [id, secret].map((part) => decodeURIComponent(part.replaceAll('+', '%20')));
  assert.deepEqual([decoded, more], [[appKey, appSecret], []]);
}
