import { type Attachment, envoyYaml } from '../attachments/attachment.ts';
import { type Envoy, startEnvoy } from '../envoy/envoy.ts';
import { type JsonObject, useHttp2Backend } from '../envoy/envoy-config.ts';
import { type FakeCheckService, startFakeCheckService } from './fake-check-service.ts';
import { type RecordedRequest } from '../http/http-message.ts';
import { type RecordingBackend, startBackend } from './recording-backend.ts';
import { acquireAll } from '../lifetime/release.ts';
import { useStarted } from '../lifetime/use-started.ts';

/** Envoy's filter chain alone: a stand-in decides, and back ends record what comes out. */
export interface Chain extends AsyncDisposable {
  readonly envoy: Envoy;
  readonly check: FakeCheckService;
  readonly backend: RecordingBackend;
  /** Behind the routes that lead to Postern's own HTTP listener. */
  readonly posternHttp: RecordingBackend;
  /** Forgets what was recorded, and answers as at first. */
  reset(): void;
}

export interface ChainOptions {
  /** Where the configuration comes from: envoy.yaml unless given. */
  readonly attachment?: Attachment;
  /** Changes the configuration, to break it or to look into it. */
  readonly edit?: (config: JsonObject) => void;
  readonly backend?: RecordedRequest['protocol'];
}

/** Starts Envoy with the committed configuration between a stand-in for Postern and recording back ends. */
export async function startChain(options: ChainOptions = {}): Promise<Chain> {
  const { attachment = envoyYaml, edit, backend: protocol = 'HTTP/1.1' } = options;
  return acquireAll(async (keep) => {
    const check = keep(await startFakeCheckService());
    const backend = keep(await startBackend(protocol));
    const posternHttp = keep(await startBackend());
    const envoy = keep(
      await startEnvoy({
        attachment,
        ports: { postern: check.port, posternHttp: posternHttp.port, backend: backend.port },
        edit: (config) => {
          if (protocol === 'HTTP/2') useHttp2Backend(config, attachment.clusters.backend);
          edit?.(config);
        },
      }),
    );
    const reset = (): void => {
      for (const part of [check, backend, posternHttp]) part.reset();
    };
    return { envoy, check, backend, posternHttp, reset };
  });
}

/** Runs a chain around the tests of the calling `describe`; it is reset before each. */
export function useChain(options: ChainOptions = {}): Chain {
  const chain = useStarted(async () => await startChain(options));
  beforeEach(() => {
    chain.reset();
  });
  return chain;
}
