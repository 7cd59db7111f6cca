import { quote } from '../../../check/signing/curl-command.ts';
import type { FirstCall, SampleLanguage } from './language.ts';

/** The header is read from the standard input, so that no list of processes shows the App Key. */
function program({ settings: { carrier }, http, body }: FirstCall): string {
  if (carrier === undefined || !('header' in carrier)) throw new Error('curl is for App Keys in a header');
  const { header, scheme = '' } = carrier;
  const usual = body === null ? 'GET' : 'POST';
  const verb = http === usual ? '' : http === 'HEAD' ? '-I ' : `-X ${quote(http)} `;
  const content = body === null ? '' : `-H 'Content-Type: application/json' -d ${quote(body)} `;
  return `#!/bin/sh
printf '%s\\n' "${header}: ${scheme} $APP_KEY" | curl -H @- \\
  -sS --fail-with-body ${verb}${content}-w '\\n%{http_code}\\n' "$POSTERN_URL"
`;
}

/** For an App Key after a scheme word, which no signing client writes, and none is needed for. */
export const curl: SampleLanguage = {
  title: 'curl',
  fence: 'sh',
  programName: 'first-call.sh',
  program,
  projectFiles: [],
  install: [],
  run: 'sh first-call.sh',
};
