// Programs out of packages that were unpacked into a folder of their own.

/** A line of a shell script that finds the libraries unpacked below `home`, a shell word, before those of the machine. */
export function setLibraryPath(home) {
  return `libraries=$(echo "${home}"/usr/lib/*-linux-gnu*):$(echo "${home}"/lib/*-linux-gnu*)
LD_LIBRARY_PATH=$libraries\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}`;
}
