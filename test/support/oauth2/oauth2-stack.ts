import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { packageFiles } from '../../../src/cli/programs/servers.ts';
import { type PosternSettings } from '../stack/postern-process.ts';
import { acquireAll } from '../lifetime/release.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** The client of the demo's file, which `docs/oauth2.md` uses. */
export const demoClient = {
  clientId: 'acme-oauth2-demo',
  secret: 'public-demo-secret-of-acme-for-oauth2',
} as const;

/** A product whose issuer is where callers really reach it. */
export interface OAuth2Stack extends Stack {
  /** The public URL, without a slash at the end. */
  readonly url: string;
}

/**
 * Starts the product on a document, that of the demo unless stated otherwise, with a public URL that leads to its
 * Envoy.
 */
export async function startOAuth2Stack(
  document: string = readFileSync(packageFiles.document, 'utf8'),
  settings: PosternSettings = {},
): Promise<OAuth2Stack & AsyncDisposable> {
  return await startParts(document, settings);
}

let shared: ReturnType<typeof startParts> | undefined;

/**
 * The product on the demo's document that files of tests of one process share; it ends with the process, and its back
 * end has forgotten what came before.
 */
export async function sharedOAuth2Stack(): Promise<OAuth2Stack> {
  const stack = await (shared ??= startParts(readFileSync(packageFiles.document, 'utf8'), {}));
  for (const part of [stack.front, stack.postern, stack.envoy, stack.backend]) part.unref();
  stack.backend.reset();
  return { ...stack, [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function startParts(
  document: string,
  settings: PosternSettings,
): Promise<OAuth2Stack & { readonly front: Front }> {
  return await acquireAll(async (keep) => {
    const front = keep(await openFront());
    const url = `http://127.0.0.1:${String(front.port)}`;
    const stack = keep(await startStack(document, { settings: { POSTERN_PUBLIC_URL: url, ...settings } }));
    front.leadTo(stack.envoy.port);
    return { ...stack, url, front };
  });
}

/** A port of its own, which leads to another one as soon as that is known. */
export interface Front extends AsyncDisposable {
  readonly port: number;
  leadTo(port: number): void;
  /** From now on it does not keep the test process from ending. */
  unref(): void;
}

/** Reserves a port: Postern needs its public URL before Envoy has a port. */
export async function openFront(): Promise<Front> {
  let target: number | null = null;
  const sockets = new Set<Socket>();
  let isUnref = false;
  const server = createServer((near) => {
    if (target === null) {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (isUnref) from.unref();
      from.on('error', () => to.destroy()).on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
    },
    unref: () => {
      isUnref = true;
      for (const handle of [server, ...sockets]) handle.unref();
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
