/** Answers the questions of ../../tools/speed.mjs. */
import { createHash, createHmac, createPrivateKey, sign } from 'node:crypto';
import { cpuUsage, env, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { createClient, type ClientSettings } from '../src/index.ts';

const APP_KEY = '3f0c9a1be27d4856';
const APP_SECRET = 'an App Secret of 32 characters ..';
const PEM = env['PRIVATE_KEY'] ?? '';
const request = {
  method: 'POST',
  url: 'https://api.example.com/orders?page=2',
  headers: { 'Content-Type': 'application/json' },
  body: new Uint8Array(200).fill(0x61),
};
const key = { key: createPrivateKey(PEM), dsaEncoding: 'ieee-p1363' } as const;

const methods: Readonly<Record<string, { settings: ClientSettings; bare: (text: string) => unknown }>> = {
  hmac: {
    settings: { method: 'hmac', appKey: APP_KEY, appSecret: APP_SECRET },
    bare: (text) => [
      createHash('sha256').update(request.body).digest('base64'),
      createHmac('sha256', APP_SECRET).update(text).digest('base64'),
    ],
  },
  p256: {
    settings: { method: 'http-message-signature', appKey: APP_KEY, privateKey: PEM },
    bare: (text) => sign('sha256', Buffer.from(text), key),
  },
};

/** The CPU time of something that is done so many times, in nanoseconds. */
async function timed(count: number, run: () => unknown): Promise<number> {
  const start = cpuUsage();
  for (let done = 0; done < count; done += 1) await run();
  const { user, system } = cpuUsage(start);
  return (user + system) * 1000;
}

for await (const line of createInterface({ input: stdin })) {
  const [name = '', count] = line.split(' ');
  const method = methods[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  const client = createClient(method.settings);
  const text = (await client.sign(request)).stringToSign ?? '';
  const bare = await timed(Number(count), () => method.bare(text));
  const signed = await timed(Number(count), async () => await client.sign(request));
  stdout.write(`${String(bare)} ${String(signed)}\n`);
}
