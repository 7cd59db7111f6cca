import { type Attachment } from '../attachments/attachment.ts';
import { chosenAttachment } from '../attachments/chosen.ts';
import { type Envoy, startEnvoy } from '../envoy/envoy.ts';
import { type JsonObject, useHttp2Backend } from '../envoy/envoy-config.ts';
import { type RecordedRequest } from '../http/http-message.ts';
import { type PosternProcess, type PosternSettings, startPostern } from './postern-process.ts';
import { type RecordingBackend, startBackend } from './recording-backend.ts';
import { acquireAll } from '../lifetime/release.ts';

/**
 * The product as operators run it: Envoy with the committed configuration, `postern serve`, and a back end that
 * records.
 */
export interface Stack extends AsyncDisposable {
  readonly envoy: Envoy;
  readonly postern: PosternProcess;
  readonly backend: RecordingBackend;
}

export interface StackOptions {
  readonly settings?: PosternSettings;
  readonly backend?: RecordedRequest['protocol'];
  /** Where Envoy's configuration comes from: `ENVOY_ATTACHMENT` or envoy.yaml unless given. */
  readonly attachment?: Attachment;
  /** Changes Envoy's configuration. */
  readonly edit?: (config: JsonObject) => void;
}

/** For the tests of a `describe`: one of their own unless they share the one of shared-stack.ts. */
export type UsedStackOptions = StackOptions | 'shared';

/** A port on which nothing answers. */
const nowhere = 1;

/** Starts all three on free ports, with the document as Postern's file store. */
export async function startStack(documentYaml: string, options: StackOptions = {}): Promise<Stack> {
  const { attachment = chosenAttachment(), backend: protocol = 'HTTP/1.1', settings, edit } = options;
  return acquireAll(async (keep) => {
    const backend = keep(await startBackend(protocol));
    const postern = keep(await startPostern(documentYaml, settings));
    const envoy = keep(
      await startEnvoy({
        attachment,
        ports: { postern: postern.grpcPort, posternHttp: postern.httpPort ?? nowhere, backend: backend.port },
        edit: (config) => {
          if (protocol === 'HTTP/2') useHttp2Backend(config, attachment.clusters.backend);
          edit?.(config);
        },
      }),
    );
    return { envoy, postern, backend };
  });
}
