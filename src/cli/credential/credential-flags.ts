/** The flag that sets what a path of a declared credential leads to. */
export function credentialFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    id: '--id',
    method: '--method',
    methods: '--method',
    appKey: '--app-key',
    appKeyHash: '--hash-only',
    appSecret: '--secret-from',
    notBefore: '--not-before',
    expiresAt: '--expires',
  };
  return flags[field] ?? null;
}
