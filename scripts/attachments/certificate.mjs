// A certificate for translators that want to see one; no connection uses it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../services/run.mjs';

/** Makes a self-signed certificate below `directory` with the openssl of this machine: `{ certificate, key }`, PEM. */
export async function makeCertificate(directory) {
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=api.example.com'];
  const { code, stderr } = await run('openssl', [...args, '-keyout', keyFile, '-out', certificateFile]);
  if (code !== 0) throw new Error(`openssl made no certificate:\n${stderr}`);
  return { certificate: await readFile(certificateFile, 'utf8'), key: await readFile(keyFile, 'utf8') };
}
