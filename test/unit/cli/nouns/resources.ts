import type { MemoryCli } from './memory-cli.ts';

/** Makes what most tests begin with: three endpoints and the consumers `acme` and `globex`, `acme` with one grant. */
export async function prepare(cli: MemoryCli): Promise<void> {
  const commands = [
    'endpoint create orders --path /orders --authentication hmac',
    'endpoint create invoices --path /invoices --authentication hmac --access-condition authenticated-and-authorized',
    'endpoint create keyed --path /keyed --authentication key --limit 100/minute/consumer',
    'consumer create acme --name Acme --label tier=gold',
    'consumer create globex',
  ];
  for (const command of commands) await cli.done(...command.split(' '));
  await cli.done('grant', 'add', '--endpoint', 'invoices', '--consumer', 'acme');
}
