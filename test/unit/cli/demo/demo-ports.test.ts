import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { DemoFailure } from '../../../../src/cli/demo/demo-failure.ts';
import {
  chooseConsolePorts,
  chooseDemoPorts,
  chooseRateLimitPorts,
  defaultDemoPorts,
  findPortOwner,
  requireFreePorts,
} from '../../../../src/cli/demo/demo-ports.ts';

describe('the ports of the demo', () => {
  it('are those of envoy.yaml without a base', async () => {
    assert.equal(await chooseDemoPorts(null), defaultDemoPorts);
  });

  it('follow each other from a base', async () => {
    assert.deepEqual(Object.values(await chooseDemoPorts(20000)), [20000, 20001, 20002, 20003, 20004, 20005, 20006]);
    assert.deepEqual(Object.values(await chooseRateLimitPorts(20000)), [20007, 20008, 20009, 20010, 20011]);
    assert.deepEqual(Object.values(await chooseConsolePorts(20000)), [20012, 20013]);
  });

  it('are free and different with base 0', async () => {
    const ports = await chooseDemoPorts(0);
    assert.equal(new Set(Object.values(ports)).size, 7);
    await requireFreePorts(ports);
  });

  it('are reported with their owner when they are taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const ports = { ...(await chooseDemoPorts(0)), posternGrpc: port };
      const owner = await findPortOwner(port);
      assert.equal(owner?.pid, process.pid);
      await assert.rejects(requireFreePorts(ports), (error) => {
        assert.ok(error instanceof DemoFailure);
        const [, line, advice, ...rest] = error.message.split('\n');
        const taken = `  127.0.0.1:${String(port).padEnd(5)}  Postern gRPC   used by `;
        assert.equal(line, `${taken}${owner.name} (process ${String(process.pid)})`);
        assert.match(advice ?? '', /--port-base/);
        assert.deepEqual(rest, []);
        return true;
      });
    } finally {
      server.close();
    }
  });

  it('have no owner when no program listens', async () => {
    const { envoy } = await chooseDemoPorts(0);
    assert.equal(await findPortOwner(envoy), null);
  });
});
