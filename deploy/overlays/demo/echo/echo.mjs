// The back end of the demo: answers with the request as it arrived.
import { createServer } from 'node:http';

const server = createServer((request, response) => {
  const body = [];
  request.on('data', (chunk) => body.push(chunk));
  request.on('end', () => {
    const identity = Object.entries(request.headers).filter(([name]) => /^x-(consumer|credential)/.test(name));
    const lines = [`${request.method} ${request.url}`, ...identity.map((header) => header.join(': ')), ''];
    response.end(`${lines.join('\n')}${Buffer.concat(body).toString()}`);
  });
});
server.listen(Number(process.env.PORT ?? 8080));
process.on('SIGTERM', () => server.close());
