// One installer at a time per directory. A listening socket is the lock: the system lets go of it when its holder ends,
// however it ends, so that there is no stale lock to clean up.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function addressFor(directory) {
  const name = `postern-services-${createHash('sha256').update(directory).digest('hex').slice(0, 24)}`;
  return process.platform === 'linux' ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function listen(address) {
  const connections = new Set();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => connections.delete(socket));
  });
  server.listen(address);
  await once(server, 'listening');
  const release = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of connections) socket.destroy();
    await closed;
  };
  return { release };
}

/** Waits until the holder of the lock lets go, or rejects with the reason of `signal`. */
async function holderGone(address, signal) {
  const socket = connect(address);
  const abort = () => socket.destroy(signal.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    socket.resume();
    await once(socket, 'close');
    return 'gone';
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error.code === 'ECONNREFUSED') return 'stale';
    return 'gone';
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * Runs `action` while holding the lock of `directory`. `onWait` is called once when another process holds it.
 */
export async function withLock(directory, { signal, onWait }, action) {
  const address = addressFor(directory);
  let waiting = false;
  for (;;) {
    signal?.throwIfAborted();
    let lock;
    try {
      lock = await listen(address);
    } catch (error) {
      if (error.code !== 'EADDRINUSE') throw error;
      if (!waiting) onWait?.();
      waiting = true;
      const holder = await holderGone(address, signal);
      // Only a socket in the file system outlives its holder.
      if (holder === 'stale' && process.platform !== 'linux') await unlink(address);
      continue;
    }
    try {
      return await action();
    } finally {
      await lock.release();
    }
  }
}
