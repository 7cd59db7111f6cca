import { carryKey } from '../../../check/methods/key/carriers.ts';
import { quote } from '../../../check/signing/curl-command.ts';
import type { FirstCall, SampleLanguage } from './language.ts';

/** The header is read from the standard input, so that no list of processes shows the App Key. */
function program({ settings: { carrier }, http, body }: FirstCall): string {
  if (carrier === undefined) throw new Error('curl is for App Keys in a place of their own');
  const empty = { method: http, path: '/', authority: '', headers: [], body: Buffer.alloc(0) };
  // Names and words may hold $ and backticks, which are tokens.
  const lines = carryKey(empty, [carrier], '').headers.map(
    ([name, value]) => `${quote(`${name}: ${value}`)}"$APP_KEY"`,
  );
  const usual = body === null ? 'GET' : 'POST';
  const verb = http === usual ? '' : http === 'HEAD' ? '-I ' : `-X ${quote(http)} `;
  const content = body === null ? '' : `-H 'Content-Type: application/json' -d ${quote(body)} `;
  return `#!/bin/sh
printf '%s\\n' ${lines.join(' ')} | curl -H @- \\
  -sS --fail-with-body ${verb}${content}-w '\\n%{http_code}\\n' "$POSTERN_URL"
`;
}

/** For an App Key in a header as no signing client writes it, such as after a scheme word. */
export const curl: SampleLanguage = {
  title: 'curl',
  fence: 'sh',
  programName: 'first-call.sh',
  program,
  projectFiles: () => [],
  install: [],
  run: 'sh first-call.sh',
};
