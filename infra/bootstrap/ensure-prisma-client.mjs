import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.mjs'
import { runQuietly } from './run-quietly.mjs'
import { fingerprint, isFresh, writeStamp } from './stamp.mjs'
import { step } from './step.mjs'

/**
 * Generates the database client when the Prisma schema or Prisma's version has changed.
 *
 * @param {string} node
 */
export async function ensurePrismaClient(node) {
  const folder = join(root, 'packages', 'db')
  const sources = [join(folder, 'prisma', 'schema'), join(folder, 'prisma.config.ts'), join(folder, 'package.json')]
  const stampFile = join(folder, 'src', 'generated', '.stamp')
  const stamp = fingerprint(sources)
  if (isFresh(stampFile, stamp)) return
  await step('database client', async () => {
    const prisma = join(folder, 'node_modules', 'prisma', 'build', 'index.js')
    await runQuietly('prisma generate', node, [prisma, 'generate'], { cwd: folder, env: prismaEnv(node) })
    writeStamp(stampFile, stamp)
  })
}

/** `prisma generate` needs no engine, but downloads one unless a variable names one. */
function prismaEnv(node) {
  return {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: ['/bin/true', '/usr/bin/true'].find(existsSync) ?? node,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  }
}
