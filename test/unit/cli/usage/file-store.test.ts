import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatListenAddress, type ListenAddress } from '../../../../src/base/net/listen-address.ts';
import { AdminServer } from '../../../../src/gateway/serving/admin-server.ts';
import { TrafficMemory } from '../../../../src/stores/traffic/traffic-memory.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { type CommandResult, endpointsYaml, runCli } from '../run-cli.ts';

const yaml = `${endpointsYaml}consumers:
  - { id: acme, labels: { tier: gold } }
  - { id: bolt }
`;
const nowSeconds = Math.floor(Date.now() / 1000);

describe('postern usage of a declarative file', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
  let traffic: TrafficMemory;

  beforeEach(async () => {
    folder = await temporaryDirectory();
    await writeFile(join(folder.path, 'postern.yaml'), yaml);
    traffic = new TrafficMemory();
    traffic.count('orders', 'acme', 'ALLOWED', nowSeconds);
    traffic.count('orders', 'bolt', 'RATE_LIMITED', nowSeconds);
    traffic.count('status', null, 'ALLOWED', nowSeconds);
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  const usage = async (address: string, ...args: readonly string[]): Promise<CommandResult> =>
    await runCli(['usage', ...(args.includes('--by') ? [] : ['--by', 'endpoint']), '-o', 'csv', ...args], {
      POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}`,
      POSTERN_ADMIN_ADDRESS: address,
    });

  async function startAdmin(
    address: ListenAddress = { kind: 'tcp', host: '127.0.0.1', port: 0 },
    ofProcess: TrafficMemory | null = traffic,
  ): Promise<AdminServer> {
    const server = new AdminServer({
      findUnreadiness: () => null,
      findNotice: () => null,
      collectMetrics: async () => await Promise.resolve({ text: '', contentType: 'text/plain' }),
      traffic: ofProcess,
    });
    await server.start(address, 0o600);
    return server;
  }

  it('sorts rows by what is asked for, and keeps equal ones in their order', async () => {
    for (let at = 0; at < 3; at += 1) traffic.count('orders', 'bolt', 'NOT_AUTHORIZED', nowSeconds);
    for (let at = 0; at < 9; at += 1) traffic.count('orders', 'acme', 'ALLOWED', nowSeconds);
    await using admin = await startAdmin();
    const namesBy = async (...args: readonly string[]): Promise<readonly string[]> => {
      const { code, out, err } = await usage(formatListenAddress(admin.address()), '--by', 'consumer', ...args);
      assert.equal(code, 0, err);
      return out
        .trim()
        .split(/\r?\n/)
        .slice(1)
        .map((line) => line.split(',')[0] ?? '');
    };
    assert.deepEqual(await namesBy(), ['acme', 'bolt']);
    assert.deepEqual(await namesBy('--sort', 'allowed'), ['acme', 'bolt']);
    assert.deepEqual(await namesBy('--sort', 'refused'), ['bolt', 'acme']);
    assert.deepEqual(await namesBy('--sort', 'limited'), ['bolt', 'acme']);
    const wrong = await usage(formatListenAddress(admin.address()), '--sort', 'name');
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /Allowed choices are allowed, refused, limited/);
  });

  it('asks the process that serves it', async () => {
    for (const address of [undefined, { kind: 'unix', path: join(folder.path, 'admin.sock') } as const]) {
      await using admin = await startAdmin(address);
      const at = formatListenAddress(admin.address());
      const head = 'endpoint,allowed,refused,limited';
      assert.deepEqual(await usage(at), { code: 0, err: '', out: `${head}\norders,1,0,1\nstatus,1,0,0\n` });
      assert.equal((await usage(at, '--consumer', 'bolt')).out, `${head}\norders,0,0,1\n`);
      assert.equal((await usage(at, '--label', 'tier=gold')).out, `${head}\norders,1,0,0\n`);
      assert.equal((await usage(at, '--endpoint', 'status')).out, `${head}\nstatus,1,0,0\n`);
      assert.equal((await usage(at, '--consumer', 'nobody')).code, 3);
    }
  });

  it('reads counts of very many partners whole', async () => {
    for (let at = 0; at < 5000; at += 1) traffic.count('orders', `partner-${String(at)}`, 'ALLOWED', nowSeconds);
    await using admin = await startAdmin();
    const { out } = await usage(formatListenAddress(admin.address()), '--by', 'consumer');
    assert.equal(out.trimEnd().split('\n').length, 5003);
  });

  it('says that nothing answers, and where it asked', async () => {
    const { code, err } = await usage(`unix:${join(folder.path, 'none.sock')}`);
    assert.equal(code, 5);
    assert.match(err, /no Postern answers at unix:.*none\.sock \(POSTERN_ADMIN_ADDRESS\).*ENOENT/);
  });

  it('says that the process there keeps no counts, because it serves a database', async () => {
    await using admin = await startAdmin(undefined, null);
    const { code, err } = await usage(formatListenAddress(admin.address()));
    assert.equal(code, 1);
    assert.match(err, /answered 404: the database keeps the counts of all replicas: ask "postern usage"/);
  });
});
