import { normalDnsName, normalUri } from '../../../model/certificate-identity.ts';
import { type DerElement, elementsIn, OCTET_STRING, SEQUENCE } from '../../../model/public-key/der.ts';

/** The tags of what is read of a certificate (RFC 5280 §4.1, §4.2.1.6). */
const OBJECT_IDENTIFIER = 0x06;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const URI = 0x86;

/** 2.5.29.17, the extension with the subject alternative names. */
const SUBJECT_ALT_NAME = Buffer.from([0x55, 0x1d, 0x11]);

/** Names in a certificate by which a partner can be known, each once and in normal form. */
export interface CertificateNames {
  readonly uris: readonly string[];
  readonly dnsNames: readonly string[];
}

const none: CertificateNames = { uris: [], dnsNames: [] };

/**
 * The URIs and DNS names of a certificate (RFC 5280 §4.2.1.6), read from its DER: Node writes all names as one text, in
 * which a name that holds a comma looks like two. A name without a normal form, such as a wildcard, names nobody and is
 * left out. Null where the names cannot be told without doubt: bytes that are not DER, or two such extensions.
 */
export function namesInCertificate(der: Buffer): CertificateNames | null {
  const [certificate] = elementsIn(der) ?? [];
  if (certificate?.tag !== SEQUENCE || certificate.end !== der.length) return null;
  const body = elementsIn(certificate.content)?.[0];
  const fields = body?.tag === SEQUENCE ? elementsIn(body.content) : null;
  if (fields === null) return null;
  const [holder, ...more] = fields.filter(({ tag }) => tag === EXTENSIONS);
  if (holder === undefined) return none;
  const extensions = more.length > 0 ? null : onlySequence(holder.content);
  const found = extensions === null ? null : altNamesIn(extensions);
  return found === null ? null : normalNames(found);
}

/** The general names of the one extension that has them; empty without it, null where there is more than one. */
function altNamesIn(extensions: readonly DerElement[]): readonly DerElement[] | null {
  let found: readonly DerElement[] = [];
  let count = 0;
  for (const { tag, content } of extensions) {
    const parts = tag === SEQUENCE ? elementsIn(content) : null;
    const [id, value] = [parts?.[0], parts?.at(-1)];
    if (id?.tag !== OBJECT_IDENTIFIER || value?.tag !== OCTET_STRING) return null;
    if (!id.content.equals(SUBJECT_ALT_NAME)) continue;
    const names = onlySequence(value.content);
    count += 1;
    if (names === null || count > 1) return null;
    found = names;
  }
  return found;
}

/** The elements of a sequence that is all there is. */
function onlySequence(der: Buffer): readonly DerElement[] | null {
  const [sequence, ...more] = elementsIn(der) ?? [];
  return sequence?.tag === SEQUENCE && more.length === 0 ? elementsIn(sequence.content) : null;
}

function normalNames(names: readonly DerElement[]): CertificateNames {
  const uris = new Set<string>();
  const dnsNames = new Set<string>();
  for (const { tag, content } of names) {
    const text = content.toString('latin1');
    const uri = tag === URI ? normalUri(text) : null;
    const dnsName = tag === DNS_NAME ? normalDnsName(text) : null;
    if (uri !== null) uris.add(uri);
    if (dnsName !== null) dnsNames.add(dnsName);
  }
  return { uris: [...uris], dnsNames: [...dnsNames] };
}
