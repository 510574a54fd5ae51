import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { repositoryRoot } from '../data-paths.ts'
import { writeOpenApiFile } from '../print-openapi.ts'
import { ReadableError, runCommand } from '../readable-error.ts'

await runCommand(async () => {
  generatePrismaClient()
  writeOpenApiFile()
  console.log('▸ docs/openapi.json written')
})

function generatePrismaClient(): void {
  const cwd = path.join(repositoryRoot, 'packages', 'db')
  const prisma = path.join(cwd, 'node_modules', 'prisma', 'build', 'index.js')
  // Generating needs no engine, but downloads one unless it is told that there is one.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', PRISMA_HIDE_UPDATE_MESSAGE: '1' }
  const { status } = spawnSync(process.execPath, [prisma, 'generate'], { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new ReadableError('prisma generate failed')
}
