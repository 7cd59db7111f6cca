export interface Job {
  readonly seconds: number;
  readonly isReady: () => boolean;
  readonly run: (lane: number) => Promise<void>;
}

export function runQueue(
  jobs: readonly Job[],
  options: { readonly lanes: number; readonly changed: () => Promise<void>; readonly isStopped: () => boolean },
): Promise<void>;
