// `helm test`: whether a pod that Envoy could be reaches a Postern that is ready, through the network policy.
import { connect } from 'node:http2';
import { connect as connectPlain } from 'node:net';

const { POSTERN_ADDRESS: address, POSTERN_TLS: tls } = process.env;
const deadlineMs = 10_000;

function end(problem) {
  if (problem !== undefined) process.stderr.write(`${address}: ${problem}\n`);
  else process.stdout.write(`${address}: ${tls === 'true' ? 'a ready pod accepts connections' : 'SERVING'}\n`);
  process.exit(problem === undefined ? 0 : 1);
}

setTimeout(
  () => end(`no answer within ${deadlineMs / 1000} s: does the network policy let this pod through?`),
  deadlineMs,
);

if (tls === 'true') {
  // Only Envoy has a certificate that Postern takes; the Service leads to ready pods only.
  const { hostname: host, port } = new URL(`http://${address}`);
  connectPlain({ host, port: Number(port) }, () => end()).on('error', ({ code }) => end(`not reachable: ${code}`));
} else {
  const session = connect(`http://${address}`).on('error', () => {}); // its stream ends with the same
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const chunks = [];
  stream
    .on('data', (chunk) => chunks.push(chunk))
    .on('end', () => {
      // The message HealthCheckResponse, behind the five bytes of its frame: status is SERVING.
      const isServing = Buffer.concat(chunks)
        .subarray(5)
        .equals(Buffer.from([8, 1]));
      end(isServing ? undefined : 'gRPC health does not say SERVING: kubectl logs deployment/postern says why');
    })
    .on('error', ({ code, cause }) => end(`not reachable: ${cause?.code ?? code}`))
    .end(Buffer.alloc(5)); // an empty HealthCheckRequest
}
