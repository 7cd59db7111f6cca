/** Options of curl that change the request, by every spelling; the others are ignored. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['-H', 'header'],
  ['-d', 'data'],
  ['-X', 'request'],
  ['-G', 'get'],
  ['-u', 'user'],
  ['-I', 'head'],
  ['-A', 'user-agent'],
  ['-b', 'cookie'],
  ['-e', 'referer'],
  ['-F', 'form'],
  ['-T', 'upload-file'],
  ['-K', 'config'],
  ['-n', 'netrc'],
  ['-z', 'time-cond'],
  ['-:', 'next'],
  ['--data-ascii', 'data'],
]);

/** Long options that take a value, among them ignored ones. */
const VALUED_LONG = new Set(
  `abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
  continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode
  delegation dns-interface dns-ipv4-addr dns-servers doh-url dump-header egd-file engine etag-compare etag-save
  expect100-timeout form form-string happy-eyeballs-timeout-ms header hostpubmd5 hsts interface json keepalive-time key
  key-type limit-rate local-port login-options max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output
  output-dir parallel-max pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-header proxy-user
  pubkey quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time
  service-name socks4 socks4a socks5 socks5-hostname speed-limit speed-time stderr time-cond tls-max tls13-ciphers trace
  trace-ascii unix-socket upload-file url url-query user user-agent variable write-out`
    .split(/\s+/)
    .map((name) => `--${name}`),
);
const VALUED_SHORT = new Set('AbcCdDeEFhHKmoPQrtTuUwxXyYz'.split('').filter((letter) => letter !== 'h'));

/** One option of a curl command, or its URL (`url`). */
export interface CurlOption {
  /** The long name without dashes. */
  readonly name: string;
  /** `''` for an option without a value. */
  readonly value: string;
}

/** Reads the words after `curl`: combined short flags, values joined to a short flag, URLs without an option. */
export function readCurlOptions(words: readonly string[]): readonly CurlOption[] {
  const options: CurlOption[] = [];
  // An iterator, as taking the first element off an array moves all others.
  const rest = words.values();
  const next = (): string => rest.next().value ?? '';
  let areOptionsOver = false;
  for (const word of rest) {
    if (areOptionsOver || !word.startsWith('-') || word === '-') options.push({ name: 'url', value: word });
    else if (word === '--') areOptionsOver = true;
    else if (word.startsWith('--')) {
      options.push({ name: nameOf(word), value: VALUED_LONG.has(word) ? next() : '' });
    } else readShortFlags(word, next, options);
  }
  return options;
}

function readShortFlags(word: string, next: () => string, options: CurlOption[]): void {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const name = nameOf(`-${letter}`);
    if (!VALUED_SHORT.has(letter)) {
      options.push({ name, value: '' });
      continue;
    }
    const joined = word.slice(at + 1);
    options.push({ name, value: joined === '' ? next() : joined });
    return;
  }
}

function nameOf(spelling: string): string {
  return SPELLINGS.get(spelling) ?? spelling.replace(/^--/, '');
}
