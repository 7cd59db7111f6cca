import crypto from 'k6/crypto';
import http from 'k6/http';

const { POSTERN_URL, APP_KEY, APP_SECRET } = __ENV;

/** Signs path and query as sent; the body is '' for none. */
function signed(method, target, body) {
  const nonce = Array.from(new Uint8Array(crypto.randomBytes(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
  const headers = { Date: new Date().toUTCString() };
  if (body !== '') headers.Digest = `SHA-256=${crypto.sha256(body, 'base64')}`;
  headers['X-Nonce'] = nonce;
  const lines = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  lines.splice(1, 0, `${method} ${target} HTTP/1.1`);
  const names = ['date', 'request-line', ...(body === '' ? [] : ['digest']), 'x-nonce'].join(' ');
  const signature = crypto.hmac('sha256', APP_SECRET, lines.join('\n'), 'base64');
  headers.Authorization = `hmac appkey="${APP_KEY}", algorithm="hmac-sha256", headers="${names}", signature="${signature}"`;
  return headers;
}

export default function () {
  const body = JSON.stringify({ amount: 12 });
  const headers = { 'Content-Type': 'application/json', ...signed('POST', '/invoices?year=2026', body) };
  http.post(`${POSTERN_URL}/invoices?year=2026`, body, { headers });
  http.get(`${POSTERN_URL}/invoices`, { headers: signed('GET', '/invoices', '') });
}
