/** The flag that sets what a path of a declared grant leads to. */
export function grantFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    endpoint: '--endpoint',
    consumer: '--consumer',
    limits: '--limit',
    expiresAt: '--expires',
  };
  return flags[field] ?? null;
}
