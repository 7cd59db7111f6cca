// Signs the request over its parameters, with the variables appKey, appSecret, encoding and nonce: in the URL without a
// body, in a form, or in a wrapper around JSON.
const MAX_FORM_BYTES = 10485760;
const MAX_WRAPPER_BYTES = 2097152;
const MAX_PARAMETERS = 100;
const RESERVED = ['appKey', 'sign', 'apiTimestamp'];

function signParameters() {
  const appKey = readAppKey();
  const appSecret = readAppSecret();
  const target = fixTarget();
  const { text, type } = fixBody();
  const time = Math.floor(Date.now() / 1000);
  const nonce = setting('nonce') === 'true' ? newNonce() : null;
  const hash = (stringToSign) => cryptoJs.SHA512(stringToSign + appSecret).toString();
  const form = text === '' ? 'url' : formOf(type);
  if (byteLength(text) > MAX_FORM_BYTES) refuse('BODY_TOO_LARGE', 'the body has more bytes than the gateway takes');
  const query = target.includes('?') ? target.slice(target.indexOf('?') + 1) : '';
  if (form !== 'url' && query !== '') refuse('QUERY_NOT_SIGNABLE', 'nothing signs a query beside a body');
  if (form === 'json') {
    // Their sorted order.
    const sign = hash(`apiTimestamp=${time}&appKey=${appKey}&data=${text}`);
    const wrapper = JSON.stringify({ data: text, appKey, sign, apiTimestamp: time });
    if (byteLength(wrapper) > MAX_WRAPPER_BYTES) refuse('BODY_TOO_LARGE', 'the wrapper has more than 2 097 152 bytes');
    pm.request.body.update({ mode: 'raw', raw: wrapper });
    return;
  }
  const added = [`appKey=${appKey}`, `apiTimestamp=${time}`, ...(nonce === null ? [] : [`nonce=${nonce}`])];
  const own = form === 'url' ? query : text;
  const unsigned = joined(own, added);
  const sign = hash(textToSign(parametersOf(own, nonce !== null), added));
  const signed = joined(unsigned, [`sign=${sign}`]);
  if (form === 'form') pm.request.body.update({ mode: 'raw', raw: signed });
  else pm.request.url.update(`${pm.request.url.toString().split('?')[0]}?${signed}`);
}

function formOf(type) {
  const [media = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset =
    parameters
      .find((part) => part.startsWith('charset='))
      ?.slice(8)
      .replaceAll('"', '') ?? 'utf-8';
  const encoding = pm.request.headers.get('content-encoding') ?? 'identity';
  if (charset !== 'utf-8' && charset !== 'utf8') refuse('BODY_NOT_SIGNABLE', 'the charset of the body is not UTF-8');
  if (encoding.trim().toLowerCase() !== 'identity') refuse('BODY_NOT_SIGNABLE', 'the body is compressed');
  if (media === FORM) return 'form';
  return media === 'application/json' ? 'json' : refuse('BODY_NOT_SIGNABLE', 'the body is neither a form nor JSON');
}

/** The parameters of a query or form, as they are sent and decoded. */
function parametersOf(text, hasNonce) {
  const parameters = text
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.includes('=') ? part.indexOf('=') : part.length;
      const pair = { rawName: part.slice(0, at), rawValue: part.slice(at + 1) };
      return { ...pair, name: decodeForm(pair.rawName), value: decodeForm(pair.rawValue) };
    });
  const reserved = [...RESERVED, ...(hasNonce ? ['nonce'] : [])];
  const taken = parameters.find(({ name }) => reserved.includes(name));
  if (taken !== undefined)
    refuse('RESERVED_PARAMETER', `the parameter ${taken.name} is added when the request is signed`);
  if (setting('encoding') !== 'raw' && parameters.some(({ name, value }) => /[&=]/.test(name) || /&.*=/s.test(value))) {
    refuse('AMBIGUOUS_PARAMETERS', 'a name holds "&" or "=", or a value "&" and later "="; send it as JSON');
  }
  if (parameters.length + reserved.length > MAX_PARAMETERS)
    refuse('TOO_MANY_PARAMETERS', 'there are more than 100 parameters');
  return parameters;
}

function textToSign(parameters, added) {
  const isRaw = setting('encoding') === 'raw';
  const own = parameters.map(({ name, value, rawName, rawValue }) => (isRaw ? [rawName, rawValue] : [name, value]));
  const all = [...own, ...added.map((pair) => pair.split('='))];
  return all
    .sort(([one], [other]) => compareBytes(one, other))
    .map((pair) => pair.join('='))
    .join('&');
}

/** The order of UTF-8 bytes, which is that of code points. */
function compareBytes(one, other) {
  const left = Array.from(one, (character) => character.codePointAt(0));
  const right = Array.from(other, (character) => character.codePointAt(0));
  const at = left.findIndex((code, index) => code !== right[index]);
  return at === -1 ? left.length - right.length : left[at] - (right[at] ?? -1);
}

function decodeForm(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return refuse('MALFORMED_PARAMETERS', 'a parameter has bad percent-encoding, or is not UTF-8');
  }
}

signParameters();
