// Signs the request by hmac, with the variables appKey, appSecret, algorithm, signedHeaders and nonce.
const MAX_BODY_BYTES = 10485760;
const MACS = { 'hmac-sha256': 'HmacSHA256', 'hmac-sha384': 'HmacSHA384', 'hmac-sha512': 'HmacSHA512' };
/** Headers that the gateway never takes: proxies or the gateway itself change them. */
const UNSIGNABLE =
  /^(authorization|connection|keep-alive|te|transfer-encoding|x-request-id|x-anonymous-consumer|x-(forwarded|envoy|consumer|credential|authenticated)-.*)$/;

function signHmac() {
  const appKey = readAppKey();
  const appSecret = readAppSecret();
  const algorithm = setting('algorithm') || 'hmac-sha256';
  if (MACS[algorithm] === undefined)
    refuse('INVALID_CREDENTIAL', 'the variable algorithm is not one of hmac-sha256, hmac-sha384, hmac-sha512');
  const target = fixTarget();
  const { text } = fixBody();
  if (byteLength(text) > MAX_BODY_BYTES) refuse('BODY_TOO_LARGE', 'the body has more than 10 485 760 bytes');

  const { headers, method } = pm.request;
  const date = new Date().toUTCString();
  headers.upsert({ key: 'Date', value: date });
  headers.remove((header) => header.key.toLowerCase() === 'digest');
  const names = ['date', 'request-line'];
  const lines = [`date: ${date}`, `${method} ${target} HTTP/1.1`];
  if (text !== '') {
    const digest = `SHA-256=${cryptoJs.SHA256(text).toString(cryptoJs.enc.Base64)}`;
    headers.upsert({ key: 'Digest', value: digest });
    names.push('digest');
    lines.push(`digest: ${digest}`);
  }
  const wanted = setting('signedHeaders')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  if (setting('nonce') === 'true') {
    headers.upsert({ key: 'X-Nonce', value: newNonce() });
    wanted.push('x-nonce');
  }
  for (const name of new Set(wanted.map((each) => each.toLowerCase()))) {
    if (names.includes(name)) continue;
    names.push(name);
    lines.push(`${name}: ${signedValue(name)}`);
  }
  const signature = cryptoJs[MACS[algorithm]](lines.join('\n'), appSecret).toString(cryptoJs.enc.Base64);
  const value = `hmac appkey="${appKey}", algorithm="${algorithm}", headers="${names.join(' ')}", signature="${signature}"`;
  headers.upsert({ key: 'Authorization', value });
}

function signedValue(name) {
  const fail = (why) => refuse('HEADER_NOT_SIGNABLE', `the header ${name} ${why}`);
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || UNSIGNABLE.test(name.replaceAll('_', '-'))) fail('cannot be signed');
  if (name === 'host')
    return pm.request.url.getRemote().replace(/:(80|443)$/, (port) => (isUsualPort(port) ? '' : port));
  const sent = pm.request.headers.filter((header) => header.key.toLowerCase() === name && !header.disabled);
  if (sent.length !== 1) fail(sent.length === 0 ? 'is not in the request' : 'stands in the request more than once');
  const value = pm.variables.replaceIn(sent[0].value);
  if (/[^\t\x20-\x7e]/.test(value)) fail('holds a character that cannot be signed');
  return value.replace(/^[ \t]+|[ \t]+$/g, '');
}

function isUsualPort(port) {
  return port === (pm.request.url.protocol === 'https' ? ':443' : ':80');
}

signHmac();
