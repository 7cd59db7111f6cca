import { quote } from '../../../../check/signing/curl-command.ts';
import { BODY_TYPE, type KeyCall, type KeyLanguage, tagText } from './key-call.ts';

function program(call: KeyCall): string {
  const { http, body, coversType } = call;
  const hasBody = body !== null;
  const ofBody = hasBody
    ? [
        `body=${quote(body)}`,
        'digest="sha-256=:$(printf %s "$body" | openssl dgst -sha256 -binary | base64):"',
        `names='"@method" "@authority" "@path" "@query" "content-digest"${coversType ? ' "content-type"' : ''}'`,
      ]
    : [`names='"@method" "@authority" "@path" "@query"'`];
  const fields = hasBody
    ? [
        `  printf '"content-digest": %s\\n' "$digest"`,
        ...(coversType ? [`  printf '"content-type": ${BODY_TYPE}\\n'`] : []),
      ]
    : [];
  const content = hasBody ? `-H 'Content-Type: ${BODY_TYPE}' -H "Content-Digest: $digest" -d "$body" ` : '';
  const verb = http === 'HEAD' ? '-I ' : `-X ${quote(http)} `;
  return `#!/bin/sh
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
method=${quote(http)}
rest=\${POSTERN_URL#*://}
authority=$(printf %s "\${rest%%/*}" | tr A-Z a-z)
target=/\${rest#*/}
case $target in *\\?*) query="?\${target#*\\?}" ;; *) query='?' ;; esac
${ofBody.join('\n')}
nonce=$(openssl rand -hex 16)
input="($names);created=$(date +%s);keyid=\\"$APP_KEY\\";nonce=\\"$nonce\\""${tagText(call) === '' ? '' : quote(tagText(call))}
{
  printf '"@method": %s\\n"@authority": %s\\n"@path": %s\\n"@query": %s\\n' "$method" "$authority" "\${target%%\\?*}" "$query"
${fields.map((line) => `${line}\n`).join('')}  printf '"@signature-params": %s' "$input"
} >"$folder/base"

# r and s of a signature in DER, as bytes
r_and_s() {
  hex=$(openssl asn1parse -inform DER -in "$1" | sed -n 's/.*INTEGER *://p' | while read -r number; do
    printf "%$2s" "$number" | tr ' ' 0
  done)
  printf "$(printf %s "$hex" | awk '{ d = "0123456789ABCDEF"; for (i = 1; i < length($0); i += 2)
    printf "\\\\%03o", 16 * index(d, substr($0, i, 1)) + index(d, substr($0, i + 1, 1)) - 17 }')"
}

kind=$(openssl pkey -in "$PRIVATE_KEY_FILE" -noout -text)
case $kind in
  *ED25519*) openssl pkeyutl -sign -inkey "$PRIVATE_KEY_FILE" -rawin -in "$folder/base" -out "$folder/signature" ;;
  *secp384r1*) openssl dgst -sha384 -sign "$PRIVATE_KEY_FILE" -out "$folder/der" "$folder/base"
    r_and_s "$folder/der" 96 >"$folder/signature" ;;
  *prime256v1*) openssl dgst -sha256 -sign "$PRIVATE_KEY_FILE" -out "$folder/der" "$folder/base"
    r_and_s "$folder/der" 64 >"$folder/signature" ;;
  *) openssl dgst -sha512 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:64 -sign "$PRIVATE_KEY_FILE" \\
    -out "$folder/signature" "$folder/base" ;;
esac
signature=$(base64 <"$folder/signature" | tr -d '\\n')
curl -sS --fail-with-body ${verb}${content}-H "Signature-Input: sig1=$input" -H "Signature: sig1=:$signature:" \\
  -w '\\n%{http_code}\\n' "$POSTERN_URL"
`;
}

/** Samples for a POSIX shell, with openssl and curl. */
export const shellWithKey: KeyLanguage = {
  title: 'POSIX shell, openssl and curl',
  fence: 'sh',
  programName: 'first-call.sh',
  program,
  projectFiles: [],
  install: [],
  run: 'sh first-call.sh',
};
