import path from 'node:path'

/** The file of a bundle that stands for an entry of the service list. */
export function bundledEntry(bundle: string, entry: string): string {
  return path.join(bundle, entry.replace(/\.ts$/, '.mjs'))
}
