// What the scripts below share. Postman runs this before a request is sent; `pm` is its interface.
const cryptoJs = require('crypto-js');
const sdk = require('postman-collection');

/** Ends the request before it is sent, with a code of the signing clients. The text never holds a value. */
function refuse(code, message) {
  // A skipped request shows no error of its script, only failed tests.
  pm.test('can be sent', () => pm.expect.fail(`${code}: ${message}`));
  pm.execution.skipRequest();
  throw new Error(`${code}: ${message}`);
}

/** A collection variable with all variables in it replaced; '' when it is not set. */
function setting(name) {
  return pm.variables.replaceIn(pm.variables.get(name) ?? '');
}

function readAppKey() {
  const appKey = setting('appKey');
  if (/^[A-Za-z0-9._-]{1,512}$/.test(appKey)) return appKey;
  return refuse('INVALID_CREDENTIAL', 'the variable appKey is no App Key');
}

function readAppSecret() {
  const appSecret = setting('appSecret');
  if (appSecret !== '' && !/[\0-\x1f\x7f-\x9f]|^\s|\s$/.test(appSecret)) return appSecret;
  const why = 'is empty, or has control characters or white space at an end';
  return refuse('INVALID_CREDENTIAL', `the variable appSecret ${why}`);
}

/** 32 lower-case hex characters. */
function newNonce() {
  return cryptoJs.lib.WordArray.random(16).toString();
}

function byteLength(text) {
  return cryptoJs.enc.Utf8.parse(text).sigBytes;
}

/** Fixes the address: what Postman would encode later is encoded now, so that what is signed is what is sent. */
function fixTarget() {
  const url = new sdk.Url(pm.variables.replaceIn(pm.request.url.toString()));
  url.hash = undefined;
  pm.request.url.update(url.toString().replace(/[^A-Za-z0-9\-._~:/?@!$&()*+,;=%]/gu, encodeComponent));
  return pm.request.url.getPathWithQuery();
}

const FORM = 'application/x-www-form-urlencoded';
/** Methods whose body Postman leaves out. */
const BODILESS = ['GET', 'HEAD', 'COPY', 'PURGE', 'UNLOCK'];

/** Fixes the body as text, with its media type in a header, and gives both. */
function fixBody() {
  const { body } = pm.request;
  if (!body || body.disabled || body.isEmpty()) return { text: '', type: pm.request.headers.get('content-type') ?? '' };
  if (BODILESS.includes(pm.request.method)) {
    refuse('BODY_NOT_SIGNABLE', `Postman sends no body with ${pm.request.method}; take it out`);
  }
  const read = bodyText(body);
  if (read.text === '') return { text: '', type: '' };
  const given = pm.request.headers.get('content-type');
  const type = given === undefined ? read.type : pm.variables.replaceIn(given);
  if (type !== '') pm.request.headers.upsert({ key: 'Content-Type', value: type });
  pm.request.body.update({ mode: 'raw', raw: read.text });
  return { text: read.text, type };
}

function bodyText(body) {
  if (body.mode === 'raw') {
    const isJson = body.options?.raw?.language === 'json';
    return { text: pm.variables.replaceIn(body.raw), type: isJson ? 'application/json' : '' };
  }
  if (body.mode === 'urlencoded') {
    const pairs = body.urlencoded.all().filter(({ disabled }) => !disabled);
    const encode = (text) => encodeComponent(pm.variables.replaceIn(text ?? ''));
    return { text: pairs.map(({ key, value }) => `${encode(key)}=${encode(value)}`).join('&'), type: FORM };
  }
  return refuse(
    'BODY_NOT_SIGNABLE',
    `a body of the kind ${body.mode} cannot be signed; use raw or x-www-form-urlencoded`,
  );
}

/** Everything but A–Z a–z 0–9 - . _ ~ as %XX. */
function encodeComponent(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A query or form with more parameters at its end. */
function joined(text, parts) {
  const end = text === '' || text.endsWith('&') ? text : `${text}&`;
  return end + parts.join('&');
}
