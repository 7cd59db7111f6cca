/** A text with as many asterisks in place of each secret, so that offsets stay. Empty secrets are not looked for. */
export function maskSecrets(text: Buffer, secrets: readonly Buffer[]): Buffer {
  const found = secrets.filter((secret) => secret.length > 0 && text.includes(secret));
  if (found.length === 0) return text;
  const all = Buffer.from(text);
  for (const secret of found) {
    for (let at = all.indexOf(secret); at !== -1; at = all.indexOf(secret, at)) all.fill('*', at, at + secret.length);
  }
  return all;
}
