import path from 'node:path'

/** The bundled file of an entry of the service list. */
export function bundledEntry(bundle: string, entry: string): string {
  return path.join(bundle, entry.replace(/\.ts$/, '.mjs'))
}
