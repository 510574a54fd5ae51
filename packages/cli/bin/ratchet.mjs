#!/usr/bin/env node
// Runs on the machine's own Node, also an old one; the command itself requires the version that the project pins.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const main = new URL('../src/main.ts', import.meta.url)
const pinned = fileURLToPath(new URL('../../../.toolchain/node_modules/node/bin/node', import.meta.url))
const isNewEnough = Number(process.versions.node.split('.')[0]) >= 24 && Boolean(process.features.typescript)

if (isNewEnough) {
  await import(main.href)
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal sends Ctrl-C to the child too; this process only waits for it.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('close', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  console.error(
    `error: Node ${process.versions.node} is too old; run \`npm start\` once, which downloads the right one`,
  )
  process.exitCode = 1
}
