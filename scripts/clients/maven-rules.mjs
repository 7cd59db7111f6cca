// What Maven Central asks of a package, as far as it can be told before it is signed.
// https://central.sonatype.org/publish/requirements/
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const required = [
  'name',
  'description',
  'url',
  'licenses/license/name',
  'licenses/license/url',
  'developers/developer/name',
  'scm/url',
  'scm/connection',
  'scm/developerConnection',
];

/** The text of an element by its path below `project`; null when it is absent or blank. */
function textAt(xml, path) {
  let inside = xml.replaceAll(/<!--[^]*?-->/g, '');
  for (const name of path.split('/')) {
    const found = new RegExp(`<${name}>([^]*?)</${name}>`).exec(inside);
    if (found === null) return null;
    inside = found[1];
  }
  return inside.trim() === '' ? null : inside.trim();
}

/** What Central would refuse in the POM, as sentences. */
export function findPomProblems(pom) {
  // Only what stands directly in the project: dependencies and plugins have names and versions, too.
  const own = pom.replaceAll(/<(dependencies|build|properties)>[^]*?<\/\1>/g, '');
  const missing = required.filter((path) => textAt(own, path) === null).map((path) => `pom.xml has no ${path}`);
  const version = textAt(own, 'version') ?? 'none';
  return version.endsWith('-SNAPSHOT') || version === 'none'
    ? [...missing, `pom.xml: the version is ${version}; a release is no snapshot`]
    : missing;
}

/** What Central would refuse in the package that was built in `folder`, as sentences. */
export function findMavenProblems({ folder, version }) {
  const jars = ['.jar', '-sources.jar', '-javadoc.jar'].map((ending) => `postern-client-${version}${ending}`);
  return [
    ...findPomProblems(readFileSync(join(folder, 'pom.xml'), 'utf8')),
    ...jars.filter((jar) => !existsSync(join(folder, 'dist', jar))).map((jar) => `dist/${jar} is missing`),
  ];
}
