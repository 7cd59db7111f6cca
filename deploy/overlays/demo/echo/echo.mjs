// The back end of the demo and of postern demo: answers with the request as it arrived. Of the headers it shows those that
// say who calls, and those of credentials, which must not arrive.
import { createServer } from 'node:http';

const SHOWN = /^(x[-_](consumer|credential|authenticated|anonymous)[-_]|x-app-key$|authorization$)/;

const server = createServer((request, response) => {
  const body = [];
  request.on('data', (chunk) => body.push(chunk));
  request.on('end', () => {
    const headers = Object.entries(request.headers).filter(([name]) => SHOWN.test(name));
    const lines = [`${request.method} ${request.url}`, ...headers.map((header) => header.join(': ')), ''];
    response.end(`${lines.join('\n')}${Buffer.concat(body).toString()}`);
  });
});
server.listen(Number(process.env.PORT ?? 8080), process.env.HOST);
process.on('SIGTERM', () => server.close());
