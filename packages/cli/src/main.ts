import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { pipedKeys } from './piped-keys.ts'
import { runCli } from './run-cli.ts'
import { terminalKeys } from './terminal-keys.ts'

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: (words) => process.stdout.write(words),
  stderr: (words) => process.stderr.write(words),
  stdin: async () => (process.stdin.isTTY ? null : text(process.stdin)),
  keys: () => (process.stdin.isTTY ? terminalKeys(process.stdin, process.stderr) : pipedKeys(text(process.stdin))),
  terminalColumns: () => (process.stderr.isTTY ? process.stderr.columns : null),
  now: () => new Date(),
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  onInterrupt: (callBack) => {
    const signals = ['SIGINT', 'SIGTERM'] as const
    for (const signal of signals) process.on(signal, callBack)
    return () => {
      for (const signal of signals) process.off(signal, callBack)
    }
  },
  randomBytes,
})
