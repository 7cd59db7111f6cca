/** Reads the arguments `-name value …`; what is absent is empty. */
export function readArguments(args: readonly string[]): (name: string) => string {
  const values = new Map<string, string>();
  for (let at = 0; at + 1 < args.length; at += 2) values.set(args[at]?.slice(1) ?? '', args[at + 1] ?? '');
  return (name) => values.get(name) ?? '';
}
