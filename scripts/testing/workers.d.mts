import type { Measured } from './profile.mjs';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly output: string;
  readonly measured: Measured | null;
}

export class Worker {
  constructor(options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly verbose?: boolean;
    readonly endDeadlineMs?: number;
  });
  run(file: string, options?: { readonly timeoutMs?: number; readonly dryRun?: boolean }): Promise<Counts>;
  end(): Promise<string | null>;
}
