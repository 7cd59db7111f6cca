export interface Measured {
  readonly wallSeconds: number;
  readonly processorSeconds: number;
  readonly hookSeconds: number;
  readonly started: Readonly<Record<string, number>>;
}

export function profileText(
  files: readonly {
    readonly suite: string;
    readonly file: string;
    readonly passed: number;
    readonly measured: Measured | null;
  }[],
): string;
