// Writes the collection from the scripts: node build.mjs > postern.postman_collection.json
import { readFileSync } from 'node:fs';

const script = (...names) =>
  names.flatMap((name) =>
    readFileSync(new URL(`scripts/${name}.js`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n'),
  );
const event = (listen, lines) => ({ listen, script: { type: 'text/javascript', exec: lines } });

const variable = (key, value, description, type = 'string') => ({ key, value, type, description });
const variables = [
  variable('baseUrl', 'https://api.example.com', 'where the API is, without a slash at the end'),
  variable('path', '/invoices', 'what the requests of this collection call'),
  variable('appKey', '', 'your App Key'),
  variable('appSecret', '', 'your App Secret; put it into the current value, which stays with you', 'secret'),
  variable('algorithm', 'hmac-sha256', 'hmac: or hmac-sha384, hmac-sha512'),
  variable('signedHeaders', '', 'hmac: more headers to sign, such as host'),
  variable('encoding', 'decoded', 'parameter signature: or raw'),
  variable('nonce', 'false', 'hmac, parameter signature: true where replay protection is on'),
  variable('keyHeader', 'X-App-Key', 'key: the header that takes the App Key'),
  variable('keyQuery', '', 'key: a query parameter that takes the App Key in place of the header'),
  variable('accessToken', '', 'OAuth2: the token, kept by the script', 'secret'),
];

const url = (query) => ({
  raw: `{{baseUrl}}{{path}}${query}`,
  host: ['{{baseUrl}}{{path}}'],
  ...(query === '' ? {} : { query: query.slice(1).split('&').map(pairOf) }),
});
function pairOf(text) {
  const [key, value] = text.split('=');
  return { key, value };
}
const request = (name, method, { query = '', body } = {}) => ({
  name,
  request: { method, header: [], url: url(query), ...(body === undefined ? {} : { body }) },
});
const json = (value) => ({ mode: 'raw', raw: JSON.stringify(value), options: { raw: { language: 'json' } } });
const folder = (name, lines, description, item) => ({ name, description, event: [event('prerequest', lines)], item });

const collection = {
  info: {
    name: 'Postern',
    description: 'Calls an API behind Postern. Set the variables of the collection; README.md says which.',
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: { type: 'noauth' },
  event: [event('test', script('answer'))],
  variable: variables,
  item: [
    folder('HMAC', script('common', 'hmac'), 'Signs date, request line and body.', [
      request('Read', 'GET', { query: '?year=2026' }),
      request('Create', 'POST', { body: json({ amount: 12 }) }),
    ]),
    folder('Parameter signature', script('common', 'parameter-signature'), 'Signs parameters.', [
      request('In the URL', 'GET', { query: '?to=Köln 1' }),
      request('As a form', 'POST', { body: { mode: 'urlencoded', urlencoded: [{ key: 'to', value: 'Köln 1' }] } }),
      request('As JSON', 'POST', { body: json({ weight: '2 kg' }) }),
    ]),
    folder('Key', script('common', 'key'), 'Sends the App Key, which is the secret.', [request('Read', 'GET')]),
    folder('OAuth2', script('common', 'oauth2'), 'Gets an access token, keeps it, and sends it.', [
      request('Read', 'GET'),
    ]),
  ],
};

process.stdout.write(`${JSON.stringify(collection, null, 2)}\n`);
