import path from 'node:path'

/** Resolves a path from the folder in which the user called npm, which runs scripts in the repository's folder. */
export function fromHere(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? '.', file)
}
