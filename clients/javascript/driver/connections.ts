import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { Agent, buildConnector, fetch, ProxyAgent, type Dispatcher, type RequestInit as UndiciInit } from 'undici';
import type { BaseFetch } from '../src/index.ts';

type Version = '1.1' | '2';

/** undici's fetch over HTTP/1.1 or HTTP/2, trusting one authority. */
export class Connections {
  readonly #agents: Readonly<Record<Version, Dispatcher>>;
  readonly #spoken: Record<Version, Version> = { '1.1': '1.1', '2': '1.1' };

  /** `ca` is a file with certificates in PEM; null for the authorities of the machine. `proxy` is a URL, or null. */
  constructor(ca: string | null, proxy: string | null) {
    const authority = ca === null ? {} : { ca: readFileSync(ca, 'utf8') };
    if (proxy !== null) {
      const agent = new ProxyAgent({ uri: proxy, proxyTunnel: false });
      this.#agents = { '1.1': agent, '2': agent };
      return;
    }
    this.#agents = { '1.1': this.#agent('1.1', authority), '2': this.#agent('2', authority) };
  }

  /** For a client; calls without a dispatcher of their own, such as those for tokens, use HTTP/1.1. */
  readonly fetch: BaseFetch = async (url, init) => {
    const given = { dispatcher: this.#agents['1.1'], ...init } as unknown as UndiciInit;
    return (await fetch(url, given)) as unknown as Response;
  };

  dispatcher(version: Version): Dispatcher {
    return this.#agents[version];
  }

  /** What was agreed on with the gateway, when this version was asked for. */
  spoken(version: Version): Version {
    return this.#spoken[version];
  }

  async close(): Promise<void> {
    await Promise.all(
      Object.values(this.#agents).map(async (agent) => {
        await agent.destroy();
      }),
    );
  }

  #agent(version: Version, authority: { readonly ca?: string }): Agent {
    const allowH2 = version === '2';
    const connect = buildConnector({ allowH2, ...authority });
    return new Agent({
      allowH2,
      connect: (options, callback) => {
        connect(options, (...[error, socket]) => {
          if (error !== null) {
            callback(error, null);
            return;
          }
          this.#spoken[version] = (socket as TLSSocket).alpnProtocol === 'h2' ? '2' : '1.1';
          callback(null, socket);
        });
      },
    });
  }
}
