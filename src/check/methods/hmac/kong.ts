import { quoted } from '../../../model/document/problem.ts';
import { type HmacOptions, MAX_CLOCK_SKEW_SECONDS } from '../../../model/endpoint.ts';
import { hmacAlgorithms } from '../../../model/options/hmac-algorithms.ts';
import type { KongCounterpart, PluginSettings } from '../kong.ts';
import { algorithmTable } from './algorithms.ts';

/** Kong's `hmac-auth` (kong/plugins/hmac-auth), and which signatures of its callers Postern does not take. */
export const kongHmacAuth: KongCounterpart<'hmac'> = {
  plugin: 'hmac-auth',
  settings: ['clock_skew', 'validate_request_body', 'enforce_headers', 'algorithms'],
  readOptions,
  credential: { kind: 'app-key', list: 'hmacauth_credentials', appKey: 'username', appSecret: 'secret' },
};

/** What Kong allows, and Postern too, when the setting is absent. */
const DEFAULT_CLOCK_SKEW_SECONDS = 300;

function readOptions(settings: PluginSettings): Partial<HmacOptions> | null {
  const listed = settings.texts('algorithms');
  const algorithms = hmacAlgorithms.filter((algorithm) => {
    const { kongName } = algorithmTable[algorithm];
    return kongName !== null && (listed.length === 0 || listed.includes(kongName));
  });
  if (listed.length === 0 || listed.includes('hmac-sha1')) {
    settings.report('warning', ['algorithms'], {
      what: 'also takes hmac-sha1, which Postern does not: callers who sign with it are refused',
      instead: 'have them sign with hmac-sha256',
    });
  }
  const skew = settings.number('clock_skew') ?? DEFAULT_CLOCK_SKEW_SECONDS;
  if (skew > MAX_CLOCK_SKEW_SECONDS) {
    settings.report('warning', ['clock_skew'], {
      what: `allows clocks to differ by ${String(skew)} s; Postern by ${String(MAX_CLOCK_SKEW_SECONDS)} s at most`,
    });
  }
  if (algorithms.length === 0 || skew < 1) {
    const difference =
      skew < 1
        ? 'allows clocks to differ by less than a second, which Postern cannot'
        : 'takes only hmac-sha1, which Postern does not';
    settings.report('error', [], { what: `${difference}: the endpoints it applies to refuse everything` });
    return null;
  }
  reportSignedHeaders(settings);
  if (!settings.flag('validate_request_body', false)) {
    settings.report('warning', [], {
      what: 'does not verify bodies; Postern requires a signed Digest with every body',
      instead: 'have callers add "Digest: SHA-256=…" and sign it',
    });
  }
  settings.report('warning', [], {
    what: 'names the caller by username="…", Postern by appkey="…": signatures stay the same, the header does not',
    instead: 'rewrite it in Envoy until every caller has changed (docs/migrating-from-kong.md)',
  });
  const clockSkewSeconds = Math.min(Math.floor(skew), MAX_CLOCK_SKEW_SECONDS);
  return {
    ...(algorithms.length === 1 && algorithms[0] === 'hmac-sha256' ? {} : { algorithms }),
    ...(clockSkewSeconds === DEFAULT_CLOCK_SKEW_SECONDS ? {} : { clockSkewSeconds }),
    acceptRealHttpVersion: true,
  };
}

/** What Postern always wants signed, or that stands for the same. */
const ALWAYS_SIGNED: ReadonlySet<string> = new Set(['date', 'x-date', 'request-line', '@request-target']);

function reportSignedHeaders(settings: PluginSettings): void {
  const enforced = settings.texts('enforce_headers');
  const unenforced = enforced.filter((name) => !ALWAYS_SIGNED.has(name.toLowerCase()));
  if (unenforced.length > 0) {
    settings.report('warning', ['enforce_headers'], {
      what: `requires ${unenforced.map(quoted).join(', ')} signed; Postern requires only date, request-line and, with a body, digest`,
    });
  }
  if (!enforced.includes('date') || !enforced.includes('request-line')) {
    settings.report('warning', [], {
      what: 'lets callers choose what they sign; Postern requires "date" and "request-line", not x-date or @request-target',
      instead: 'have callers sign "date request-line" at least',
    });
  }
}
