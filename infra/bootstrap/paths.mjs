import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository's own folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Where the fetched Node and pnpm live; safe to delete. */
export const toolchain = join(root, '.toolchain')
