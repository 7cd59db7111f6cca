import { type Document } from 'mongodb';
import { adminCommand } from './command.ts';

/** What goes wrong with which commands, as the server's `failCommand` takes it. */
export interface FailPoint {
  /**
   * For how many commands; `alwaysOn` until it is disposed. The driver repeats many commands once: 2 for one failure to
   * be seen.
   */
  readonly mode: { readonly times: number } | { readonly skip: number } | 'alwaysOn';
  readonly data: {
    readonly failCommands: readonly string[];
    readonly closeConnection?: boolean;
    readonly errorCode?: number;
    readonly errorLabels?: readonly string[];
    readonly blockConnection?: boolean;
    readonly blockTimeMS?: number;
    readonly writeConcernError?: Document;
    /** Only for the clients of this name. */
    readonly appName?: string;
  };
}

/** Makes a server of tests fail commands; disposing makes it well again. `uri` leads to that one server. */
export async function setFailPoint(uri: string, { mode, data }: FailPoint): Promise<AsyncDisposable> {
  await adminCommand(uri, { configureFailPoint: 'failCommand', mode, data });
  return {
    [Symbol.asyncDispose]: async () => {
      await adminCommand(uri, { configureFailPoint: 'failCommand', mode: 'off' });
    },
  };
}
