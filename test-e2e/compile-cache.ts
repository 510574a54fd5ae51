import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'

/** Folder in which Node stores compiled files during `npm test`, and also when a test is started in another way. */
const folder = process.env.NODE_COMPILE_CACHE ?? path.join(repositoryRoot, '.toolchain', 'compile-cache')

/** Environment of processes that tests start: compiling files again would take a third of a start. */
export const compileCache = { NODE_COMPILE_CACHE: folder } as const
