// The software bill of materials, CycloneDX 1.6: the same bytes for the same package-lock.json.
import { createHash } from 'node:crypto';
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';

/** The version of CycloneDX that is written. */
export const specVersion = '1.6';

const { Bom, Component, LicenseExpression, SpdxLicense } = Models;

/**
 * The bill as JSON text, of what `readRuntimePackages` gives. It holds no time but `timestamp`, and a serial number
 * that follows from the contents.
 */
export function writeBill({ project, direct, packages }, { timestamp } = {}) {
  const bom = new Bom();
  const components = new Map(packages.map((each) => [each.path, componentOf(each)]));
  for (const each of packages) {
    const component = components.get(each.path);
    for (const path of each.dependencies) component.dependencies.add(components.get(path).bomRef);
    bom.components.add(component);
  }
  const self = new Component(Enums.ComponentType.Application, project.name, {
    bomRef: project.name,
    version: project.version,
    description: project.description,
  });
  self.licenses.add(new SpdxLicense(project.license));
  for (const path of direct) self.dependencies.add(components.get(path).bomRef);
  bom.metadata.component = self;
  if (timestamp !== undefined) bom.metadata.timestamp = timestamp;
  bom.serialNumber = serialNumberOf(serialize(bom));
  return serialize(bom);
}

function serialize(bom) {
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function componentOf({ path, name, version, license, integrity, ecosystem = 'npm', sha256 = null }) {
  const [scope, base] = name.startsWith('@') ? name.split('/') : [null, name];
  const component = new Component(Enums.ComponentType.Library, base, {
    ...(scope === null ? {} : { group: scope }),
    // The same package may stand at several paths.
    bomRef: path.replaceAll(/(^|\/)node_modules\//g, (_, slash) => (slash === '' ? '' : '|')) + `@${version}`,
    version,
    purl: new PackageURL(ecosystem, scope, base, version, undefined, undefined).toString(),
  });
  if (license !== null) component.licenses.add(licenseModel(license));
  if (sha256 !== null) component.hashes.set(Enums.HashAlgorithm['SHA-256'], sha256);
  if (integrity !== null) {
    const [algorithm, digest] = integrity.split('-', 2);
    if (algorithm !== 'sha512') throw new Error(`${path}: an integrity by ${algorithm}, expected sha512`);
    // Of the package as npm serves it.
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex'));
  }
  return component;
}

function licenseModel(license) {
  return / (AND|OR|WITH) /.test(license) ? new LicenseExpression(license) : new SpdxLicense(license);
}

/** A UUID made of the contents (RFC 9562 §5.8). */
function serialNumberOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((parseInt(hex[16], 16) & 0x3) | 0x8).toString(16);
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
