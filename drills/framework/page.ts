import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the output of every drill is shown. */
export const pagePath = fileURLToPath(new URL('../../docs/drills.md', import.meta.url));

/** What the page shows that a drill prints; null when it does not show it. */
export function shownOutput(name: string): string | null {
  return readFileSync(pagePath, 'utf8').match(blockOf(name))?.[2] ?? null;
}

/** Puts what a drill printed into its place on the page. */
export function recordOutput(name: string, output: string): void {
  const page = readFileSync(pagePath, 'utf8');
  if (!blockOf(name).test(page)) throw new Error(`docs/drills.md has no place for "${name}"`);
  writeFileSync(
    pagePath,
    page.replace(
      blockOf(name),
      (_, before: string, __, after: string) => `${before}${output.replace(/^\n+/, '').trimEnd()}\n${after}`,
    ),
  );
}

function blockOf(name: string): RegExp {
  return new RegExp(`(^### ${name}\\n[^]*?^\`\`\`text\\n)([^]*?)(^\`\`\`$)`, 'm');
}
