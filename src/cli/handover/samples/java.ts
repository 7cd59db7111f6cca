import { type FirstCall, type Language, literal } from './language.ts';

const env = (name: string): string => `System.getenv("${name}")`;

function program({ client, hasAppSecret, hasPrivateKey, settings, http, body }: FirstCall): string {
  const { algorithm, encoding, nonce, carrier, tokenPath, tag, coverAlso } = settings;
  const parameters = [
    env('APP_KEY'),
    ...(hasAppSecret ? [env('APP_SECRET')] : []),
    ...(hasPrivateKey ? ['key'] : []),
    ...(tokenPath === undefined ? [] : [env('TOKEN_URL')]),
  ];
  const chain = [
    ...Object.entries(carrier ?? {}).map(([kind, name]) => `.${kind}(${literal(name)})`),
    ...(algorithm === undefined ? [] : [`.algorithm(HmacAlgorithm.${algorithm.replace('hmac-', '').toUpperCase()})`]),
    ...(encoding === undefined ? [] : ['.encoding(ParameterEncoding.RAW)']),
    ...(nonce === undefined ? [] : ['.nonce(true)']),
    ...(tag === undefined ? [] : [`.tag(${literal(tag)})`]),
    ...(coverAlso === undefined ? [] : [`.coverAlso(${coverAlso.map(literal).join(', ')})`]),
  ].join('');
  const publisher = `HttpRequest.BodyPublishers.${body === null ? 'noBody()' : `ofString(${literal(body)})`}`;
  const verb = http === 'POST' ? `POST(${publisher})` : `method(${literal(http)}, ${publisher})`;
  const content = body === null ? '' : '\n        .header("Content-Type", "application/json")';
  const [files, key] = hasPrivateKey
    ? [
        'import java.nio.file.*;\n',
        `    var key = SigningKey.ofPem(Files.readString(Path.of(${env('PRIVATE_KEY_FILE')})));\n`,
      ]
    : ['', ''];
  return `import io.github.postern.client.*;
import java.net.http.*;
${files}class FirstCall {
  public static void main(String[] args) throws Exception {
${key}    var client = PosternClient.${client.factory}(${parameters.join(', ')})${chain}.build();
    var request = HttpRequest.newBuilder(java.net.URI.create(${env('POSTERN_URL')}))${content}.${verb};
    var response = PosternHttpClient.of(client).send(request.build(), HttpResponse.BodyHandlers.ofString());
    System.out.println(response.statusCode() + " " + response.body());
}}
`;
}

const ARTEFACT = 'postern-client-0.1.0.jar';

/** Samples in Java, with the client of `clients/java`. */
export const java: Language = {
  title: 'Java',
  client: 'java',
  fence: 'java',
  programName: 'FirstCall.java',
  program,
  projectFiles: () => [],
  artefact: ARTEFACT,
  install: [],
  run: `java -cp ${ARTEFACT} FirstCall.java`,
};
