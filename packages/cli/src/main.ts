import { randomBytes } from 'node:crypto'
import { runCli } from './run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  now: () => new Date(),
  randomBytes,
})
