import { literal } from '../language.ts';
import { BODY_TYPE, type KeyCall, type KeyLanguage, tagText } from './key-call.ts';

function program(call: KeyCall): string {
  const { http, body, coversType } = call;
  const ofBody =
    body === null
      ? ['body = None', 'headers = {}', 'covered = {}']
      : [
          `body = ${literal(body)}.encode()`,
          'digest = base64.b64encode(hashlib.sha256(body).digest()).decode()',
          `headers = {"content-type": "${BODY_TYPE}", "content-digest": f"sha-256=:{digest}:"}`,
          coversType ? 'covered = dict(headers)' : 'covered = {"content-digest": headers["content-digest"]}',
        ];
  return `import base64
import hashlib
import os
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, utils

with open(os.environ["PRIVATE_KEY_FILE"], "rb") as file:
    key = serialization.load_pem_private_key(file.read(), None)
url = urllib.parse.urlsplit(os.environ["POSTERN_URL"])
method = ${literal(http)}
${ofBody.join('\n')}


def sign(base):
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return key.sign(base)
    if isinstance(key, ec.EllipticCurvePrivateKey):
        size = key.curve.key_size // 8
        r, s = utils.decode_dss_signature(key.sign(base, ec.ECDSA(hashes.SHA256() if size == 32 else hashes.SHA384())))
        return r.to_bytes(size, "big") + s.to_bytes(size, "big")
    return key.sign(base, padding.PSS(padding.MGF1(hashes.SHA512()), 64), hashes.SHA512())


values = {"@method": method, "@authority": url.netloc.lower(), "@path": url.path or "/", "@query": "?" + url.query, **covered}
names = " ".join(f'"{name}"' for name in values)
parameters = f';created={int(time.time())};keyid="{os.environ["APP_KEY"]}";nonce="{uuid.uuid4()}"' + ${literal(tagText(call))}
lines = [f'"{name}": {value}' for name, value in values.items()]
base = "\\n".join([*lines, f'"@signature-params": ({names}){parameters}'])
headers["signature-input"] = f"sig1=({names}){parameters}"
headers["signature"] = f"sig1=:{base64.b64encode(sign(base.encode())).decode()}:"

request = urllib.request.Request(urllib.parse.urlunsplit(url), body, headers, method=method)
try:
    with urllib.request.urlopen(request, timeout=10) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as refusal:
    print(refusal.code, refusal.read().decode())
    raise SystemExit(1)
`;
}

/** Samples in Python, with the package `cryptography`. */
export const pythonWithKey: KeyLanguage = {
  title: 'Python',
  fence: 'python',
  programName: 'first_call.py',
  program,
  projectFiles: [{ name: 'requirements.txt', text: 'cryptography\n' }],
  install: ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'],
  run: '.venv/bin/python first_call.py',
};
