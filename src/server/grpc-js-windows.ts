import type { ServerHttp2Session } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

/** Per call: the largest message fits without a round trip. */
const STREAM_WINDOW_BYTES = 12 * 1024 * 1024;
/** Per connection: a few of the largest at once. */
const CONNECTION_WINDOW_BYTES = 64 * 1024 * 1024;

/**
 * grpc-js servers have no setting for flow-control windows, and with HTTP/2's 64 KiB a 10 MiB check waits for many
 * round trips. These two functions reach into the server for them and do nothing where a later version looks different:
 * then big bodies are slower, and nothing else changes.
 */
export const widenWindows = {
  /** Call before `bindAsync`: what every stream may send (SETTINGS_INITIAL_WINDOW_SIZE, RFC 9113 §6.5.2). */
  beforeBind(server: Server): void {
    const options: unknown = Reflect.get(server, 'commonServerOptions');
    if (typeof options !== 'object' || options === null || !('settings' in options)) return;
    Object.assign(options, { settings: { ...asObject(options.settings), initialWindowSize: STREAM_WINDOW_BYTES } });
  },

  /** Call after `bindAsync`: what every connection may send (RFC 9113 §6.9.2). */
  afterBind(server: Server): void {
    const listeners: unknown = Reflect.get(server, 'http2Servers');
    if (!(listeners instanceof Map)) return;
    for (const listener of listeners.keys() as Iterable<unknown>) {
      if (!isEmitter(listener)) continue;
      listener.on('session', (session) => {
        session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      });
    }
  },
};

interface SessionEmitter {
  on(event: 'session', listener: (session: ServerHttp2Session) => void): void;
}

function isEmitter(value: unknown): value is SessionEmitter {
  return typeof value === 'object' && value !== null && 'on' in value && typeof value.on === 'function';
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
