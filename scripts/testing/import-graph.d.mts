export function listFiles(directory?: string): string[];
export function findDependents(
  changed: Iterable<string>,
  options?: {
    readonly directory?: string;
    readonly files?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  },
): Promise<ReadonlyMap<string, number>>;
