import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectRoot } from '../../../../support/docs/documents.ts';

/** What every file of the program imports when it is loaded, types left out. */
function staticImports(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' });
  return new Map(
    files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('gen'))
      .map((file) => {
        const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
        const found = [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';$/gms)];
        return [file, found.map(([, from = '']) => from)];
      }),
  );
}

describe('OpenTelemetry', () => {
  it('is loaded by what tracing.ts imports when traces are asked for, and by nothing else', () => {
    const imports = staticImports();
    const withSdk = [...imports].filter(([, from]) => from.some((each) => each.startsWith('@opentelemetry/')));
    const lazy = withSdk.map(([file]) => file).sort();
    assert.deepEqual(lazy, [
      'gateway/observe/traces/bounded-spans.ts',
      'gateway/observe/traces/otlp-tracing.ts',
      'gateway/observe/traces/span-tracer.ts',
    ]);
    const names = new Set(lazy.map((file) => basename(file)));
    const eager = [...imports].filter(
      ([file, from]) => !lazy.includes(file) && from.some((each) => names.has(basename(each))),
    );
    assert.deepEqual(
      eager.map(([file]) => file),
      [],
    );
    assert.match(
      readFileSync(join(projectRoot, 'src/gateway/observe/traces/tracing.ts'), 'utf8'),
      /await import\('\.\/otlp-/,
    );
  });
});
