// node flood.mjs HOST:PORT CONNECTIONS SECONDS: posts bodies of 10 MiB without credentials, one after the other on
// each connection, and prints how many of each answer came.
import { Agent, request } from 'node:http';

const [target, connections, seconds] = process.argv.slice(2);
const [host, port] = target.split(':');
const body = Buffer.alloc(10 * 1024 * 1024, 'x');
const agent = new Agent({ keepAlive: true });
const end = performance.now() + Number(seconds) * 1000;
const answers = {};

const post = () =>
  new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const call = request({ host, port, method: 'POST', path: '/invoices/1', headers, agent }, (response) => {
      response
        .resume()
        .on('end', () => resolve(response.statusCode))
        .on('error', (error) => resolve(error.code));
    });
    call.on('error', (error) => resolve(error.code)).end(body);
  });

await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < end) {
      const answer = await post();
      answers[answer] = (answers[answer] ?? 0) + 1;
    }
  }),
);
process.stdout.write(`${JSON.stringify(answers)}\n`);
process.exit();
