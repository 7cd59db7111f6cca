import { placeIn } from '../../document/problem-log.ts';
import { algorithmTable } from '../../methods/hmac/algorithms.ts';
import { hmacAlgorithms, MAX_CLOCK_SKEW_SECONDS } from '../../model/endpoint.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { ImportedMethod } from './authentication.ts';
import type { KongPlugin } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';

const DEFAULT_CLOCK_SKEW_SECONDS = 300;

/** What Postern always wants signed, or that stands for the same. */
const ALWAYS_SIGNED: ReadonlySet<string> = new Set(['date', 'x-date', 'request-line', '@request-target']);

/** Reads `hmac-auth` (kong/plugins/hmac-auth), and tells which signatures of its clients are other than Postern's. */
export function readHmacAuth(
  { config }: KongPlugin,
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): ImportedMethod | null {
  const listed = reader.texts(config, 'algorithms');
  const algorithms = hmacAlgorithms.filter((algorithm) => {
    const { kongName } = algorithmTable[algorithm];
    return kongName !== null && (listed.length === 0 || listed.includes(kongName));
  });
  if (listed.length === 0 || listed.includes('hmac-sha1')) {
    findings.add('warning', placeIn(config.place, 'algorithms'), {
      subject,
      what: 'also takes hmac-sha1, which Postern does not: callers who sign with it are refused',
      instead: 'have them sign with hmac-sha256',
    });
  }
  const skew = reader.number(config, 'clock_skew') ?? DEFAULT_CLOCK_SKEW_SECONDS;
  if (skew > MAX_CLOCK_SKEW_SECONDS) {
    findings.add('warning', placeIn(config.place, 'clock_skew'), {
      subject,
      what: `allows clocks to differ by ${String(skew)} s; Postern by ${String(MAX_CLOCK_SKEW_SECONDS)} s at most`,
    });
  }
  if (algorithms.length === 0 || skew < 1) {
    findings.add('error', config.place, {
      subject,
      what:
        skew < 1
          ? 'allows clocks to differ by less than a second, which Postern cannot: the endpoints it applies to refuse everything'
          : 'takes only hmac-sha1, which Postern does not: the endpoints it applies to refuse everything',
    });
    return null;
  }
  tellSignedHeaders(config, subject, reader, findings);
  if (!reader.flag(config, 'validate_request_body', false)) {
    findings.add('warning', config.place, {
      subject,
      what: 'does not look at bodies; Postern wants a signed Digest with every body',
      instead: 'have callers add "Digest: SHA-256=…" and sign it',
    });
  }
  findings.add('warning', config.place, {
    subject,
    what: 'names the caller by username="…", Postern by appkey="…": signatures stay the same, the header does not',
    instead: 'rewrite it in Envoy until every caller has changed (docs/migrating-from-kong.md)',
  });
  const clockSkewSeconds = Math.min(Math.floor(skew), MAX_CLOCK_SKEW_SECONDS);
  return {
    method: 'hmac',
    options: {
      ...(algorithms.length === 1 && algorithms[0] === 'hmac-sha256' ? {} : { algorithms }),
      ...(clockSkewSeconds === DEFAULT_CLOCK_SKEW_SECONDS ? {} : { clockSkewSeconds }),
      acceptRealHttpVersion: true,
    },
  };
}

function tellSignedHeaders(
  config: KongPlugin['config'],
  subject: string,
  reader: KongReader,
  findings: FindingLog,
): void {
  const enforced = reader.texts(config, 'enforce_headers');
  const unenforced = enforced.filter((name) => !ALWAYS_SIGNED.has(name.toLowerCase()));
  if (unenforced.length > 0) {
    findings.add('warning', placeIn(config.place, 'enforce_headers'), {
      subject,
      what: `wants ${unenforced.map(quoted).join(', ')} signed; Postern checks what is signed, and wants only date, request-line and, with a body, digest`,
    });
  }
  const isSatisfied = (names: readonly string[]): boolean => names.some((name) => enforced.includes(name));
  if (!isSatisfied(['date']) || !isSatisfied(['request-line'])) {
    findings.add('warning', config.place, {
      subject,
      what: 'lets callers choose what they sign; Postern wants "date" and "request-line" among it, not x-date or @request-target',
      instead: 'have callers sign "date request-line" at least',
    });
  }
}
