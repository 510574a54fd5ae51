import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder of the repository. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Folder of the downloaded Node and pnpm; can be deleted. */
export const toolchain = join(root, '.toolchain')
