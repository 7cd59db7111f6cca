import { once } from 'node:events';
import { connect } from 'node:net';
import { findServices } from '../../../services/install-services.mjs';
import { redisStart } from '../../../src/cli/programs/servers.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { type LocalServer, startLocalServer } from '../process/local-server.ts';

/** Starts Redis with the committed configuration on a free port of the loopback. */
export async function startRedis(): Promise<LocalServer> {
  const { redis } = await findServices(['redis']);
  if (redis === null) throw new Error('Redis is not installed: scripts/install-services redis');
  const port = await freePort();
  return await startLocalServer(redisStart(redis, port), port);
}

/** The answer of Redis to one command in one line, as it came: `:4`, `$1 … 4`, `+OK`. */
export async function command(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(`${line}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  } finally {
    socket.destroy();
  }
}
