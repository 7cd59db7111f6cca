import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { GrpcJsConnections, widenStreamWindows } from '../../../src/server/grpc-js-connections.ts';
import { grpcConnectionLimits } from '../../../src/server/transport.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';

describe('what Postern reads of the private fields of grpc-js', () => {
  it('is there in this version: windows are wide, and connections are counted', async () => {
    const server = new Server();
    const connections = new GrpcJsConnections(grpcConnectionLimits, fixedClock());
    try {
      widenStreamWindows(server);
      const port = await new Promise<number>((resolve, reject) => {
        server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
          if (error === null) resolve(bound);
          else reject(error);
        });
      });
      connections.watch(server);
      const session = connect(`http://127.0.0.1:${String(port)}`);
      const [settings] = (await once(session, 'remoteSettings')) as [{ initialWindowSize: number }];
      assert.equal(settings.initialWindowSize, 12 * 1024 * 1024);
      assert.equal(connections.size, 1);
      session.destroy();
    } finally {
      connections[Symbol.dispose]();
      server.forceShutdown();
    }
  });

  it('is asked for: a listener without bounds does not open', () => {
    const server = new Server();
    Reflect.deleteProperty(server, 'http2Servers');
    Reflect.deleteProperty(server, 'commonServerOptions');
    const connections = new GrpcJsConnections(grpcConnectionLimits, fixedClock());
    assert.throws(() => {
      connections.watch(server);
    }, /this version of @grpc\/grpc-js has no http2Servers/);
    assert.throws(() => {
      widenStreamWindows(server);
    }, /this version of @grpc\/grpc-js has no commonServerOptions/);
    connections[Symbol.dispose]();
  });
});
