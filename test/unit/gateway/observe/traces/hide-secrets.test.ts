import assert from 'node:assert/strict';
import { hideSecrets } from '../../../../../src/gateway/observe/traces/hide-secrets.ts';

describe('what OpenTelemetry says of its variables', () => {
  const cases: readonly (readonly [environment: Record<string, string>, said: string, shown: string])[] = [
    [{}, 'nothing to hide', 'nothing to hide'],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%0As3cr3t' },
      'Metadata string value "Bearer\ns3cr3t" contains illegal characters',
      'Metadata string value "***" contains illegal characters',
    ],
    [
      { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-one=first , x-two=t, x-key = s%C3%A9cret=' },
      'values "first" and "sécret=" or "s%C3%A9cret="',
      'values "***" and "***" or "***"',
    ],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 's3cr3t%' }, 'no pair: "s3cr3t%"', 'no pair: "***"'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:s3cr3t@[bad' },
      "Could not parse export URL: 'http://user:s3cr3t@[bad'",
      "Could not parse export URL: '***'",
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://h/v1?k=s3cr3t' }, 'http://h/v1?k=s3cr3t failed', '*** failed'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://[bad' }, "not 'http://[bad'", "not 'http://[bad'"],
  ];
  for (const [environment, said, shown] of cases) {
    it(`is shown as ${JSON.stringify(shown)}`, () => {
      assert.equal(hideSecrets(said, environment), shown);
    });
  }
});
