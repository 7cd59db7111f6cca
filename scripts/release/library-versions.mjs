// Whether interop/table.json names the versions that its programs install.

/** How each folder of interop/ pins a library: its file, and the version in it, undefined for none. */
const pins = {
  javascript: {
    path: 'interop/javascript/package-lock.json',
    find: (text, library) => JSON.parse(text).packages[`node_modules/${library}`]?.version,
  },
  python: {
    path: 'interop/python/requirements.txt',
    find: (text, library) => lineAfter(text, `${library}==`),
  },
  go: { path: 'interop/go/go.mod', find: (text, library) => lineAfter(text, `\t${library} v`) },
  rust: {
    path: 'interop/rust/Cargo.lock',
    find: (text, library) => lineAfter(text, `name = "${library}"\nversion = "`)?.replace('"', ''),
  },
  java: {
    path: 'interop/java/pom.xml',
    find: (text, library) => {
      const [group, artifact] = library.split(':');
      return new RegExp(
        `<groupId>${group}</groupId>\\s*<artifactId>${artifact}</artifactId>\\s*<version>(.*?)</version>`,
      ).exec(text)?.[1];
    },
  },
};

/** What stands after a text, to the end of its line. */
function lineAfter(text, beginning) {
  const [, rest] = `\n${text}`.split(`\n${beginning}`);
  return rest?.split('\n')[0];
}

/** The libraries whose version in the table is not the one that is installed, as sentences. */
export function findOtherVersions(tree) {
  const { signers, tokenClients } = JSON.parse(tree.read('interop/table.json'));
  return [...signers, ...tokenClients].flatMap(({ library, version, program }) => {
    const { path, find } = pins[program];
    const pinned = find(tree.read(path), library);
    return pinned === version
      ? []
      : [`interop/table.json: ${library} is ${version}, ${path} has ${pinned ?? 'none'}: npm run test:interop`];
  });
}
