import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { release } from '../../support/lifetime/release.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import type { RequestParts } from '../../support/pipeline/check-request.ts';
import { poll } from '../../support/time/poll.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { type GatewayUnderTest, startTestGateway } from './gateway-under-test.ts';

const authority = makeCertificate('authority of a partner');
const mine = makeCertificate('mine', undefined, { names: ['mine.partner.example'], isAuthority: false });
const named = makeCertificate('named', authority, { names: ['spiffe://partner.example/batch'] });
const stranger = makeCertificate('stranger', undefined, { isAuthority: false });

const HOME = '203.0.113.7';

/** JSON is YAML. */
const document = JSON.stringify({
  version: 1,
  endpoints: ['enforce', 'observe'].map((mode) => ({
    id: mode,
    scenario: 'partner-openapi',
    match: { paths: [{ prefix: `/${mode}` }] },
    authentication: 'certificate',
    options: { mode },
  })),
  consumers: [
    {
      id: 'acme',
      name: 'Acme Ltd',
      credentials: [
        { id: 'by-certificate', method: 'certificate', certificate: { pem: mine.cert }, allowFrom: [`${HOME}/32`] },
        {
          id: 'by-name',
          method: 'certificate',
          certificate: { uri: 'spiffe://partner.example/batch', authority: { pem: authority.cert } },
        },
      ],
    },
  ],
});

describe('client certificates, with MongoDB and two replicas', function () {
  this.timeout(60_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  const replicas: GatewayUnderTest[] = [];

  before(async () => {
    folder = await temporaryDirectory();
    const file = join(folder.path, 'postern.yaml');
    await writeFile(file, document);
    await run(`apply -f ${file} --yes`);
    for (const name of ['pod-a', 'pod-b']) {
      replicas.push(await startTestGateway(database.uri(), { POSTERN_REPLICA_NAME: name }));
    }
    await Promise.all(replicas.map(({ gateway }) => gateway.ready));
  });
  after(() => release(...replicas, folder));

  async function run(command: string): Promise<string> {
    const { code, out, err } = await runCli(command.split(' '), {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
      POSTERN_ACTOR: 'ada',
    });
    assert.equal(code, 0, err);
    return out;
  }

  const requestWith = (certificate: string, mode: 'enforce' | 'observe', peer = HOME): RequestParts => ({
    path: `/${mode}/1`,
    certificate,
    peer,
    headers: [
      ['x-request-id', `${mode}-${peer}`],
      ['x-consumer-id', 'forged'],
    ],
  });

  it('give back ends the identity of their holder, at every replica', async () => {
    for (const replica of replicas) {
      for (const [{ cert }, id] of [
        [mine, 'by-certificate'],
        [named, 'by-name'],
      ] as const) {
        const answer = await replica.ask(requestWith(cert, 'enforce'));
        assert.ok(answer.kind === 'allowed');
        const sent = new Map(answer.upstream);
        const names = ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'];
        assert.deepEqual(
          names.map((name) => sent.get(name)),
          ['acme', 'Acme Ltd', id],
        );
      }
    }
  });

  it('count only from the networks of their credential', async () => {
    const [refused] = await Promise.all(
      replicas.map((each) => each.check(requestWith(mine.cert, 'enforce', '198.51.100.1'))),
    );
    assert.equal(refused, '403 ADDRESS_NOT_ALLOWED');
    for (const each of replicas) assert.equal(await each.check(requestWith(named.cert, 'enforce')), 'ALLOWED');
  });

  it('that nobody has are refused, and let through without an identity where the endpoint observes', async () => {
    for (const replica of replicas) {
      assert.equal(await replica.check(requestWith(stranger.cert, 'enforce')), '401 AUTHENTICATION_FAILED');
      const observed = await replica.ask(requestWith(stranger.cert, 'observe'));
      assert.ok(observed.kind === 'allowed');
      assert.equal(new Map(observed.upstream).get('x-consumer-id'), undefined);
      assert.ok(observed.removed.includes('x-consumer-id'));
    }
  });

  for (const [id, { cert }] of [
    ['by-certificate', mine],
    ['by-name', named],
  ] as const) {
    it(`are refused by every replica when "credential revoke ${id} --wait" returns, and the refusal is kept`, async () => {
      await run(`credential revoke ${id} --yes --wait`);
      for (const replica of replicas) {
        assert.equal(await replica.check(requestWith(cert, 'enforce')), '401 AUTHENTICATION_FAILED');
        assert.equal(await replica.check(requestWith(cert, 'observe')), 'ALLOWED');
      }
      const kept = await poll('the refusals', async () => {
        const out = await run(`refusals --credential ${id} --code AUTHENTICATION_FAILED -o json`);
        const found = JSON.parse(out) as readonly Readonly<Record<string, unknown>>[];
        return found.length >= 2 * replicas.length ? found : null;
      });
      const outcomes = kept.map(
        ({ consumer, endpoint, detail }) => `${String(consumer)} ${String(endpoint)}: ${String(detail)}`,
      );
      const told = `the credential ${id} is revoked`;
      assert.deepEqual([...new Set(outcomes)].sort(), [`acme enforce: ${told}`, `acme observe: ${told}`]);
    });
  }
});
