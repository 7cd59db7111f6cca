import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, listSources, readImports } from '../../../../../scripts/rooms/read-imports.mjs';
import { projectRoot } from '../../../../support/docs/documents.ts';

const src = join(projectRoot, 'src');

describe('OpenTelemetry', () => {
  it('is loaded by what tracing.ts imports when traces are asked for, and by nothing else', () => {
    const withSdk = listSources(src).filter((file) =>
      importsOf(file, readFileSync(join(src, file), 'utf8')).some(
        ({ specifier, isType }) => !isType && specifier.startsWith('@opentelemetry/'),
      ),
    );
    assert.deepEqual(withSdk, [
      'gateway/observe/traces/bounded-spans.ts',
      'gateway/observe/traces/otlp-tracing.ts',
      'gateway/observe/traces/span-tracer.ts',
    ]);
    const importers = readImports(src).filter(
      ({ from, to, isType }) => !isType && withSdk.includes(to) && !withSdk.includes(from),
    );
    assert.deepEqual(importers, [
      {
        from: 'gateway/observe/traces/tracing.ts',
        to: 'gateway/observe/traces/otlp-tracing.ts',
        isType: false,
        isLazy: true,
      },
    ]);
  });
});
