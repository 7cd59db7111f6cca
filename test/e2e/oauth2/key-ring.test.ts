import assert from 'node:assert/strict';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { readFileSync } from 'node:fs';
import { packageFiles } from '../../../src/cli/programs/servers.ts';
import { send } from '../../support/http/http-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { decodeSegment, partsOf } from '../../support/oauth2/forged-token.ts';
import { bearer, getToken, post } from '../../support/oauth2/oauth2-client.ts';
import { createRingFile, type RingFile } from '../../support/keyring/ring-file.ts';
import { poll } from '../../support/time/poll.ts';
import { type PosternSettings, startPostern } from '../../support/stack/postern-process.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const MAX_TOKENS = 300;

const document = readFileSync(packageFiles.document, 'utf8');

/** Status, and the code of a refusal. */
async function call(port: number, token: string): Promise<string> {
  const answer = await send('HTTP/1.1', port, { target: '/stock/levels', headers: [bearer(token)] });
  return answer.status === 200 ? '200' : `${String(answer.status)} ${(jsonBody(answer) as { code: string }).code}`;
}

/** The key that a replica signs with now. */
async function signingKey({ envoy }: Stack): Promise<unknown> {
  return decodeSegment(partsOf(await getToken(envoy.port)).header)['kid'];
}

describe('tokens over a restart of Postern', () => {
  async function restartWith(settings: PosternSettings): Promise<readonly [before: string, after: string]> {
    await using stack = await startStack(document, { attachment: envoyYaml, settings });
    const token = await getToken(stack.envoy.port);
    const before = await call(stack.envoy.port, token);
    await stack.postern.stop();
    await using again = await startPostern(document, {
      ...settings,
      POSTERN_GRPC_ADDRESS: `127.0.0.1:${String(stack.postern.grpcPort)}`,
    });
    await poll('Envoy to find the new process', async () =>
      (await stack.envoy.stat('cluster.postern.membership_healthy')) === 1 ? true : null,
    );
    assert.equal(again.grpcPort, stack.postern.grpcPort);
    return [before, await call(stack.envoy.port, token)];
  }

  it('stay valid with a key ring', async () => {
    await using ring = await createRingFile({ current: 1 });
    assert.deepEqual(await restartWith({ POSTERN_KEYRING: ring.path }), ['200', '200']);
  });

  it('end without one, and the log says so', async () => {
    assert.deepEqual(await restartWith({}), ['200', '401 TOKEN_INVALID']);
    await using postern = await startPostern(document);
    assert.match(postern.output(), /access tokens live as long as this process: no key ring is configured/);
  });
});

describe('two replicas with one key ring', () => {
  let ring: RingFile;
  let first: Stack;
  let second: Stack;
  before(async () => {
    ring = await createRingFile({ current: 1, staged: 2 });
    const settings = { POSTERN_KEYRING: ring.path };
    first = await startStack(document, { settings });
    second = await startStack(document, { settings });
  });
  after(() => release(ring, first, second));

  it('accept the tokens of each other, and know what they say', async () => {
    const token = await getToken(first.envoy.port);
    assert.equal(await call(second.envoy.port, token), '200');
    const answer = jsonBody(await post(second.envoy.port, '/oauth2/introspect', { token })) as Record<string, unknown>;
    assert.deepEqual([answer['active'], answer['consumer']], [true, 'acme']);
  });

  it('refuse no token while the ring is rotated under load, and all of a key that is removed', async () => {
    const replicas = [first, second] as const;
    const old = await getToken(first.envoy.port);
    const outcomes = new Set<string>();
    let calls = 0;
    const stopping = new AbortController();
    // Everybody gets a token from one replica and calls the other with it, and with the one before.
    const clients = replicas.map(async ({ envoy }, at) => {
      let former = old;
      while (!stopping.signal.aborted) {
        // All requests come from one address, which may ask for tokens 600 times a minute.
        const token = calls < MAX_TOKENS ? await getToken(envoy.port) : former;
        for (const text of [token, former]) {
          outcomes.add(await call(replicas[1 - at]?.envoy.port ?? 0, text));
          calls += 1;
        }
        former = token;
      }
    });
    try {
      const everywhere = async (keyId: string): Promise<void> => {
        await poll(`${keyId} to sign`, async () => {
          const keys = await Promise.all(replicas.map(signingKey));
          return keys.every((key) => key === keyId) ? true : null;
        });
      };
      await everywhere('test-key-1');
      await ring.replace({ current: 2, former: [1] });
      await everywhere('test-key-2');
      assert.deepEqual(await Promise.all(replicas.map(async ({ envoy }) => await call(envoy.port, old))), [
        '200',
        '200',
      ]);
    } finally {
      stopping.abort();
      await Promise.all(clients);
    }
    assert.ok(calls > 50, String(calls));
    assert.deepEqual([...outcomes], ['200']);
    const fresh = await getToken(first.envoy.port);
    await ring.replace({ current: 2 });
    for (const { envoy } of replicas) {
      await poll('tokens of the removed key to end', async () =>
        (await call(envoy.port, old)) === '401 TOKEN_INVALID' ? true : null,
      );
      assert.equal(await call(envoy.port, fresh), '200');
    }
  });
});
