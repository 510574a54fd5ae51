import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { runCli } from './run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: (words) => process.stdout.write(words),
  stderr: (words) => process.stderr.write(words),
  stdin: async () => (process.stdin.isTTY ? null : text(process.stdin)),
  now: () => new Date(),
  randomBytes,
})
